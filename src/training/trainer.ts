/**
 * The trainer: several arms interleaved step by step on one policy, each with its own adapter, optimizer, alpha and
 * flags. A step counts when every arm has finished it: until then the record stays at the last good step, so an abort
 * or a number that is not finite loses nothing but the step itself. Knows nothing of threads, pages or storage.
 */
import { PlaygroundError } from "../base/errors.ts";
import type { Rubric } from "../domain/rubric/schema.ts";
import type { RolloutGroup, RubricEdit, RunRow } from "../domain/run/records.ts";
import { rubricEditRow, type RubricVersion } from "../domain/run/rubric-versions.ts";
import type { LearningRateEdit } from "../domain/run/spec.ts";
import { throwIfAborted } from "./abort.ts";
import { runArmStep, type ArmStepResult } from "./arm-step.ts";
import { drawItems } from "./data-order.ts";
import type { TrainingDeps } from "./deps.ts";
import { evaluateRun, type EvaluationOptions } from "./evaluation.ts";
import { findPrompt } from "./pinned-prompt.ts";
import { withLogProbsAfter } from "./rollout-group.ts";
import type { SampledGroup } from "./rollout.ts";
import { dueEvaluation, rubricAt, type RunRecord } from "./run-record.ts";
import { forScoring } from "./update.ts";

/** What a step or an evaluation added to the run. */
export interface Progressed {
  readonly rows: readonly RunRow[];
  /** The step's groups, or the pinned prompt's at an evaluation. */
  readonly groups: readonly RolloutGroup[];
}

export class Trainer {
  readonly #deps: TrainingDeps;
  #record: RunRecord;
  /** True while a step is under way: what is edited now applies to the one after it. */
  #stepping = false;
  /** The newest step's samples by arm; only what this trainer sampled itself. */
  #sampled: ReadonlyMap<string, readonly SampledGroup[]> = new Map();

  constructor(deps: TrainingDeps, record: RunRecord) {
    this.#deps = deps;
    this.#record = record;
  }

  /** The run at its last finished step; a new object after every change. */
  get record(): RunRecord {
    return this.#record;
  }

  get finished(): boolean {
    return this.#record.step >= this.#record.spec.grpo.max_steps;
  }

  /** First step that an edit made now can count from. */
  get editableStep(): number {
    return this.#record.step + (this.#stepping ? 2 : 1);
  }

  /** True when the next thing to do is an evaluation. */
  get evaluationDue(): boolean {
    return dueEvaluation(this.#record) !== null;
  }

  /**
   * One GRPO step of every arm.
   * @throws PlaygroundError `not-finite` or `diverged` naming step, seed, arm and tensor, `aborted`, or `run-state` after the last step.
   */
  async step(signal?: AbortSignal): Promise<Progressed> {
    if (this.finished) throw runOver(this.#record);
    this.#stepping = true;
    try {
      return await this.#stepAll(signal);
    } finally {
      this.#stepping = false;
    }
  }

  /**
   * After a step that came to nothing: lets edits that a person made for the step after it count from it, since it is still
   * to be taken. Answers their rows as they are now.
   */
  pullEdits(): readonly RubricEdit[] {
    const { rubrics, rows, step, spec } = this.#record;
    const own = rubrics.slice(spec.rubricEdits.length + 1).filter(({ fromStep }) => fromStep > step + 1);
    const made = new Set(own.map(({ version }) => version));
    if (made.size === 0) return [];
    const moved = rows.flatMap((row) =>
      row.kind === "rubric" && made.has(row.rubricVersion) ? [{ ...row, step: step + 1 }] : [],
    );
    const others = rows.filter((row) => row.kind !== "rubric" || !made.has(row.rubricVersion));
    this.#record = {
      ...this.#record,
      rubrics: rubrics.map((each) => (made.has(each.version) ? { ...each, fromStep: step + 1 } : each)),
      rows: [...others, ...moved],
    };
    return moved;
  }

  async #stepAll(signal: AbortSignal | undefined): Promise<Progressed> {
    const { spec, data, arms, start } = this.#record;
    const step = this.#record.step + 1;
    const draw = drawItems(spec.trainPrompts, spec.grpo.prompts_per_step, data, spec.seed);
    const plan = {
      spec,
      step,
      rubric: rubricAt(this.#record, step),
      prompts: draw.items,
      reference: start,
      endsEpoch: draw.endsEpoch,
      signal,
    };
    const results: ArmStepResult[] = [];
    for (const arm of arms) {
      throwIfAborted(signal, `step ${step}`);
      results.push(await runArmStep(this.#deps, arm, plan));
    }
    const rows = results.map((result) => result.row);
    const newest = results.flatMap((result) => result.groups);
    this.#record = {
      ...this.#record,
      step,
      data: draw.next,
      arms: results.map((result) => result.arm),
      newest,
      rows: [...this.#record.rows, ...rows],
    };
    this.#sampled = new Map(results.map((result) => [result.arm.id, result.sampled]));
    return { rows, groups: newest };
  }

  /** Answers the held-out prompts with the base or with every arm, whichever is due. @throws PlaygroundError `aborted`. */
  async evaluate(options: EvaluationOptions = {}): Promise<Progressed> {
    const step = dueEvaluation(this.#record);
    if (step === null) return { rows: [], groups: [] };
    const { rows, pinned, baseAnswers } = await evaluateRun(this.#deps, this.#record, step, options);
    this.#record = {
      ...this.#record,
      baseAnswers,
      evaluatedStep: step,
      pinned: [...this.#record.pinned, ...pinned],
      rows: [...this.#record.rows, ...rows],
    };
    return { rows, groups: pinned };
  }

  /**
   * A new rubric version, used from the next step that starts. Alpha and flags of unchanged criteria stay, since they
   * hang on the criterion's identity. Edits that the specification holds for later steps are given up.
   * @param fromStep not before `editableStep`
   */
  editRubric(
    rubric: Rubric,
    fromStep = this.editableStep,
  ): { readonly version: RubricVersion; readonly row: RubricEdit } {
    const { rubrics, rows } = this.#record;
    const latest = rubrics.at(-1) as RubricVersion;
    const before = rubricAt(this.#record, fromStep);
    const version = { version: latest.version + 1, fromStep, rubric };
    const row = rubricEditRow(before.rubric, version);
    const stay = rows.filter((each) => each.kind !== "rubric" || each.step <= fromStep);
    this.#record = { ...this.#record, rubrics: [...rubrics, version], rows: [...stay, row] };
    return { version, row };
  }

  /** What a person changed of the learning rate; it becomes the specification's, so that the run can be repeated. */
  addLearningRateEdits(edits: readonly LearningRateEdit[]): void {
    const { spec } = this.#record;
    const learningRateEdits = [...spec.learningRateEdits, ...edits];
    this.#record = { ...this.#record, spec: { ...spec, learningRateEdits } };
  }

  /** Follows one prompt of the run from the next evaluation on; null = none. @throws PlaygroundError `run-state`. */
  pinPrompt(promptId: string | null): void {
    if (promptId !== null && findPrompt(this.#record, promptId) === null) throw unknownPrompt(promptId);
    this.#record = { ...this.#record, pinnedPromptId: promptId };
  }

  /**
   * The newest step's groups with `logProbAfter` filled in, for the inspector's tint: one forward pass, asked for only
   * when a view wants it; no number of the run depends on it. After a resume nothing is left to measure.
   */
  async measureNewest(): Promise<readonly RolloutGroup[]> {
    const measured: RolloutGroup[] = [];
    const { newest, arms, spec } = this.#record;
    for (const arm of arms) {
      const groups = newest.filter((group) => group.arm === arm.id);
      const sampled = this.#sampled.get(arm.id);
      const after =
        sampled === undefined
          ? []
          : await this.#deps.policy.logProbs(sampled.map(forScoring), arm.adapter, spec.grpo.temperature);
      measured.push(...groups.map((group, p) => withLogProbsAfter(group, after[p] ?? [])));
    }
    if (this.#sampled.size > 0) this.#record = { ...this.#record, newest: measured };
    return this.#record.newest;
  }
}

function runOver({ spec }: RunRecord): PlaygroundError {
  return new PlaygroundError({
    code: "run-state",
    where: "step",
    expected: `a step before the last, ${spec.grpo.max_steps}`,
    got: "a finished run",
    next: "Reset it, or raise max_steps.",
  });
}

function unknownPrompt(promptId: string): PlaygroundError {
  return new PlaygroundError({
    code: "run-state",
    where: "pinned prompt",
    expected: "a prompt of this run",
    got: `"${promptId}"`,
    next: "Pick one of the run's prompts.",
  });
}
