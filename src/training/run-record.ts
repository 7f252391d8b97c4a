/**
 * Everything a run is, in one serialisable record: what survives a pause, a reload and a crash. It is replaced as
 * a whole after each finished step, so it always stands at a good step. Plain data and Float32Arrays only.
 *
 * Random numbers need no saved state: every stream is made from (seed, purpose, step), see base/rng.ts.
 */
import { defined } from "../base/assert.ts";
import { PlaygroundError } from "../base/errors.ts";
import { createRng } from "../base/rng.ts";
import { initialPow3rState, type Pow3rState } from "../domain/reward/pow3r-alpha.ts";
import type { FlagWindow } from "../domain/rubric/flags.ts";
import type { RolloutGroup, RunRow } from "../domain/run/records.ts";
import {
  plannedEditRows,
  plannedVersions,
  versionAt,
  type RubricVersion,
} from "../domain/run/rubric-versions.ts";
import type { ArmSpec, RunSpec } from "../domain/run/spec.ts";
import { dataStart, type DataPosition } from "./data-order.ts";
import type { HeldOutAnswer } from "./held-out.ts";
import type { Policy } from "./policy.ts";
import { freshOptimizer, type Trainable } from "./update.ts";

/** What one arm has learned. */
export interface ArmState extends Trainable {
  readonly id: string;
  readonly pow3r: Pow3rState;
  readonly flags: FlagWindow;
  /** Tokens trained on so far, prompts included (TRL's num_tokens). */
  readonly tokens: number;
}

export interface RunRecord {
  readonly format: "rubric-playground-run";
  readonly formatVersion: 1;
  readonly id: string;
  readonly spec: RunSpec;
  /** Finished GRPO steps. */
  readonly step: number;
  readonly data: DataPosition;
  /** Oldest first; never empty. */
  readonly rubrics: readonly RubricVersion[];
  readonly arms: readonly ArmState[];
  /**
   * The adapter from elsewhere that every arm started from; null = a fresh one, which adds nothing to the base. Step 0 is answered
   * with it, and KL is to it, as in TRL, which copies a PeftModel's own adapter as "ref" (GRPOTrainer of 1.16): the penalty holds
   * a run to the policy that it began with, not to a base that the adapter has left long ago.
   */
  readonly start: Float32Array | null;
  /** The held-out answers of step 0, of the base or the start adapter, judged again when the rubric changes; null before that evaluation. */
  readonly baseAnswers: readonly HeldOutAnswer[] | null;
  /** Step of the last finished evaluation; null before the first. */
  readonly evaluatedStep: number | null;
  readonly pinnedPromptId: string | null;
  /** The pinned prompt's groups so far, every arm at every evaluation. */
  readonly pinned: readonly RolloutGroup[];
  /** The newest step's groups, for the inspector after a reload. */
  readonly newest: readonly RolloutGroup[];
  readonly rows: readonly RunRow[];
}

/**
 * A run that has not started; all arms start from the same adapter: a fresh one, or `start`, the one that the specification names.
 * @throws PlaygroundError `config-invalid` where specification and start do not belong together
 */
export function createRunRecord(
  id: string,
  spec: RunSpec,
  policy: Policy,
  start: Float32Array | null = null,
): RunRecord {
  checkStart(spec, policy, start);
  const stream = createRng(spec.seed, "adapter");
  const adapter = start ?? policy.initialAdapter(() => stream.next());
  const arms = spec.arms.map((arm) => ({
    id: arm.id,
    adapter: adapter.slice(),
    optimizer: freshOptimizer(policy.adapterSize),
    pow3r: initialPow3rState(),
    flags: {},
    tokens: 0,
  }));
  return {
    format: "rubric-playground-run",
    formatVersion: 1,
    id,
    spec,
    step: 0,
    data: dataStart,
    rubrics: plannedVersions(spec),
    arms,
    start,
    baseAnswers: null,
    evaluatedStep: null,
    pinnedPromptId: null,
    pinned: [],
    newest: [],
    rows: plannedEditRows(spec),
  };
}

function checkStart({ startAdapter }: RunSpec, policy: Policy, start: Float32Array | null): void {
  if (startAdapter === undefined && start === null) return;
  const got = start === null ? "none" : `${start.length} numbers`;
  if (startAdapter !== undefined && start?.length === policy.adapterSize) return;
  throw new PlaygroundError({
    code: "config-invalid",
    where: "startAdapter",
    expected: startAdapter === undefined ? "none" : `"${startAdapter.name}" of ${policy.adapterSize} numbers`,
    got,
    next: "Open the adapter's files again, or start from a fresh adapter.",
  });
}

/** The arm's part of the spec. */
export function armSpecOf(spec: RunSpec, id: string): ArmSpec {
  return defined(
    spec.arms.find((arm) => arm.id === id),
    `arm "${id}"`,
  );
}

/** The rubric that a step is scored with; step 0, the base, is judged with the first step's. */
export function rubricAt(record: Pick<RunRecord, "rubrics">, step: number): RubricVersion {
  return defined(versionAt(record.rubrics, step), `rubric of step ${step}`);
}

/**
 * The step whose evaluation is due before the run goes on; null = none. The base, step 0, is owed until it is there: it
 * needs no adapter, so it may be answered after the first step, which a person waits for.
 */
export function dueEvaluation({ spec, step, evaluatedStep }: RunRecord): number | null {
  if (evaluatedStep === null) return 0;
  const planned = step % spec.evaluateEvery === 0 || step === spec.grpo.max_steps;
  return planned && evaluatedStep !== step ? step : null;
}
