/** Runs a plan's cells and seeds one after the other, and writes each seed's rows and its cell's summary as soon as it is done. */
import { isMap } from "../domain/experiment/training-map.ts";
import type { Evaluation } from "../domain/run/records.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import type { SimulatorSettings } from "../domain/simulator/settings.ts";
import type { TrainingDeps } from "../training/deps.ts";
import type { RunRecord } from "../training/run-record.ts";
import type { Plan, PlannedCell } from "./plan.ts";
import { checkpointOf, resultsOf, writeMap, writeSeed, writeSummary, type Folders } from "./results.ts";
import { isFinished, readCheckpoint, runSeed } from "./run-seed.ts";

/** What trains a run; its policy is the runner's to give back. */
export type OpenDeps = (spec: RunSpec) => TrainingDeps;

export interface PlanRun {
  readonly plan: Plan;
  /** The model's name, for the summary. */
  readonly model: string;
  readonly open: OpenDeps;
  /** The adapter that every run starts from; absent = fresh ones. */
  readonly start?: Float32Array | undefined;
  readonly folders: Folders;
  /** For the simulated half of a map; null: the map is left to another process. */
  readonly simulator: SimulatorSettings | null;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Called with each finished seed. */
  readonly onSeed?: ((planned: PlannedCell, record: RunRecord) => Promise<void>) | undefined;
}

/** A cell of which no seed is to be run is only summarised. @throws PlaygroundError `aborted` after saving the seed at hand, `record-invalid` for a checkpoint of other settings. */
export async function runPlan(run: PlanRun): Promise<void> {
  const { plan, folders, say } = run;
  for (const planned of plan.cells) {
    for (const seed of planned.seeds) {
      const record = await runPlannedSeed(run, planned, seed);
      await writeSeed(resultsOf(folders, plan.experiment, planned), seed, record);
      await summariseCell(run, planned);
      await run.onSeed?.(planned, record);
    }
    if (planned.seeds.length === 0) await summariseCell(run, planned);
  }
  if (run.simulator === null || !isMap(plan.experiment)) return;
  say(`map: ${await writeMap(folders, plan, run.simulator)}`);
}

async function summariseCell({ plan, folders, model, say }: PlanRun, planned: PlannedCell): Promise<void> {
  const others = await writeSummary(folders, plan.experiment, planned, model);
  if (others.length === 0) return;
  say(`not in the summary: seeds ${others.join(", ")}, whose checkpoints are of other settings`);
}

async function runPlannedSeed(run: PlanRun, planned: PlannedCell, seed: number): Promise<RunRecord> {
  const checkpoint = checkpointOf(run.folders, run.plan.experiment, planned, seed);
  const name = planned.cell.id === null ? `seed ${seed}` : `${planned.cell.id}, seed ${seed}`;
  const before = await readCheckpoint(checkpoint);
  if (before !== null) run.say(sayCheckpoint(name, before, checkpoint));
  const spec = planned.specOf(seed);
  const deps = run.open(spec);
  const startedAt = deps.now();
  const report = (record: RunRecord, evaluations: readonly Evaluation[]): void => {
    if (evaluations.length === 0) return;
    const minutes = ((deps.now() - startedAt) / 60_000).toFixed(1);
    run.say(`${name} step ${record.step} (${minutes} min): ${evaluations.map(sayScore).join(", ")}`);
  };
  try {
    return await runSeed(deps, { spec, start: run.start, checkpoint, signal: run.signal, report });
  } finally {
    await deps.policy.dispose();
  }
}

/** What an earlier call left, so that a seed that ends at once is no riddle. */
function sayCheckpoint(name: string, before: RunRecord, checkpoint: string): string {
  return isFinished(before)
    ? `${name} was finished by an earlier call; delete ${checkpoint} to train it afresh`
    : `${name} goes on at step ${before.step} from ${checkpoint}`;
}

function sayScore({ arm, score, learningPassRate }: Evaluation): string {
  const say = (value: number | null): string => value?.toFixed(3) ?? "—";
  return `${arm} ${say(score)} (learning ${say(learningPassRate)})`;
}
