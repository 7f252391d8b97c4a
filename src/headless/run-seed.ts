/** One seed of an experiment, from its checkpoint on: trained to the end, saved every few steps. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { PlaygroundError } from "../base/errors.ts";
import type { Evaluation } from "../domain/run/records.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { checkFitsPolicy, openRecord, sealRecord } from "../training/checkpoints.ts";
import type { TrainingDeps } from "../training/deps.ts";
import { createRunRecord, type RunRecord } from "../training/run-record.ts";
import { Trainer } from "../training/trainer.ts";
import type { SeedRows } from "../domain/experiment/summary.ts";

export interface SeedRun {
  readonly spec: RunSpec;
  /** The adapter that the specification starts from; absent = a fresh one. */
  readonly start?: Float32Array | undefined;
  /** Where its checkpoint lies; made when missing. */
  readonly checkpoint: string;
  readonly signal: AbortSignal;
  /** Called after each evaluation with its rows, and after each step without. */
  readonly report: (record: RunRecord, evaluations: readonly Evaluation[]) => void;
}

/** @throws PlaygroundError `aborted` after saving, `record-invalid` for a checkpoint of other settings. */
export async function runSeed(deps: TrainingDeps, run: SeedRun): Promise<RunRecord> {
  const saved = await readCheckpoint(run.checkpoint);
  if (saved !== null) checkSameRun(saved, run, deps);
  const fresh = `seed-${run.spec.seed}`;
  const trainer = new Trainer(
    deps,
    saved ?? createRunRecord(fresh, run.spec, deps.policy, run.start ?? null),
  );
  const evaluate = async (): Promise<void> => {
    while (trainer.evaluationDue) {
      const { rows } = await trainer.evaluate({ signal: run.signal });
      run.report(
        trainer.record,
        rows.filter((row): row is Evaluation => row.kind === "evaluation"),
      );
    }
  };
  try {
    await evaluate();
    while (!trainer.finished) {
      await trainer.step(run.signal);
      run.report(trainer.record, []);
      await evaluate();
      if (trainer.record.step % run.spec.grpo.save_steps === 0)
        await writeCheckpoint(run.checkpoint, trainer.record);
    }
  } finally {
    await writeCheckpoint(run.checkpoint, trainer.record);
  }
  return trainer.record;
}

/** The record at a path; null where there is none. */
export async function readCheckpoint(path: string): Promise<RunRecord | null> {
  try {
    return openRecord(await readFile(path), path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** True when every step and the last evaluation are done. */
export function isFinished({ step, evaluatedStep, spec }: RunRecord): boolean {
  return step === spec.grpo.max_steps && evaluatedStep === step;
}

export interface FinishedSeeds {
  readonly runs: readonly SeedRows[];
  /** Seeds whose checkpoints are finished runs of other settings. */
  readonly others: readonly number[];
}

/** The rows of the runs that are finished, of those specifications alone: what a summary may put side by side. */
export async function finishedSeeds(
  specs: readonly RunSpec[],
  checkpointOf: (seed: number) => string,
): Promise<FinishedSeeds> {
  const runs: SeedRows[] = [];
  const others: number[] = [];
  for (const spec of specs) {
    const record = await readCheckpoint(checkpointOf(spec.seed));
    if (record === null || !isFinished(record)) continue;
    if (sameSettings(record.spec, spec)) runs.push({ seed: spec.seed, rows: record.rows });
    else others.push(spec.seed);
  }
  return { runs, others };
}

function sameSettings(one: RunSpec, other: RunSpec): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Written beside and renamed, so that a crash leaves the earlier one whole. */
async function writeCheckpoint(path: string, record: RunRecord): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.part`, sealRecord(record));
  await rename(`${path}.part`, path);
}

function checkSameRun(saved: RunRecord, run: SeedRun, deps: TrainingDeps): void {
  checkFitsPolicy(saved, deps.policy.adapterSize, run.checkpoint);
  if (sameSettings(saved.spec, run.spec)) return;
  throw new PlaygroundError({
    code: "record-invalid",
    where: run.checkpoint,
    expected: "a checkpoint of these settings",
    got: "one of other settings or another scenario text",
    next: "Delete it to start this seed afresh, or give the experiment another name.",
  });
}
