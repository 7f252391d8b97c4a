/**
 * Several seeds of one run, interleaved: every seed takes step t before any takes step t + 1. Each is the run of that seed
 * alone, number for number, since nothing but the policy is shared. Rubric edits count from one step in all of them.
 */
import { defined } from "../base/assert.ts";
import { PlaygroundError } from "../base/errors.ts";
import type { Rubric } from "../domain/rubric/schema.ts";
import { rowsOfSeed, type RolloutGroup, type SeedRow } from "../domain/run/records.ts";
import type { RubricVersion } from "../domain/run/rubric-versions.ts";
import type { TrainingDeps } from "./deps.ts";
import type { EvaluationOptions } from "./evaluation.ts";
import type { RunRecord } from "./run-record.ts";
import { Trainer, type Progressed } from "./trainer.ts";

/** What one seed's step or evaluation added. */
export interface SeedProgressed {
  readonly seed: number;
  readonly rows: readonly SeedRow[];
  readonly groups: readonly RolloutGroup[];
}

export class SeedRuns {
  readonly #trainers: ReadonlyMap<number, Trainer>;

  /** @param records one a seed, in the order they take turns; never empty */
  constructor(deps: TrainingDeps, records: readonly RunRecord[]) {
    this.#trainers = new Map(records.map((record) => [record.spec.seed, new Trainer(deps, record)]));
  }

  get seeds(): readonly number[] {
    return [...this.#trainers.keys()];
  }

  get records(): readonly RunRecord[] {
    return [...this.#trainers.values()].map(({ record }) => record);
  }

  /** @throws PlaygroundError `run-state` for a seed that the run does not have. */
  recordOf(seed: number): RunRecord {
    return this.#of(seed).record;
  }

  /** The step that every seed has finished. */
  get step(): number {
    return Math.min(...this.records.map(({ step }) => step));
  }

  /** Finished steps of all seeds together. */
  get seedSteps(): number {
    return this.records.reduce((sum, { step }) => sum + step, 0);
  }

  /** Every row of every seed, a seed after the other. */
  get rows(): readonly SeedRow[] {
    return this.records.flatMap(({ spec, rows }) => rowsOfSeed(spec.seed, rows));
  }

  /** One step of the seed that is furthest behind. @throws as `Trainer.step` does, which leaves every seed as it was. */
  async stepNext(signal?: AbortSignal): Promise<SeedProgressed> {
    const { step } = this;
    const next = this.#first(({ record }) => record.step === step);
    return progressOf(next, await next.step(signal));
  }

  /** False in the middle of a round, when some seeds have taken a step that others have not. */
  get aligned(): boolean {
    return new Set(this.records.map(({ step }) => step)).size === 1;
  }

  /** Seeds whose next thing to do, once all stand at one step, is an evaluation. */
  get evaluationsDue(): number {
    return this.#all.filter((trainer) => trainer.evaluationDue).length;
  }

  /** The first evaluation that is due. @throws PlaygroundError `aborted`. */
  async evaluate(options: EvaluationOptions = {}): Promise<SeedProgressed> {
    const next = this.#first((trainer) => trainer.evaluationDue);
    return progressOf(next, await next.evaluate(options));
  }

  /** A new rubric version in every seed, from the first step that none of them has begun. */
  editRubric(rubric: Rubric): { readonly version: RubricVersion; readonly rows: readonly SeedRow[] } {
    const fromStep = Math.max(...this.#all.map((trainer) => trainer.editableStep));
    const edits = this.#all.map((trainer) => ({ trainer, ...trainer.editRubric(rubric, fromStep) }));
    const { version } = defined(edits[0], "a seed");
    return { version, rows: edits.flatMap(({ trainer, row }) => rowsOfSeed(seedOf(trainer), [row])) };
  }

  /** Multiplies every arm's learning rate, in each seed from the first step that it has not begun. */
  scaleLearningRate(factor: number): void {
    const edits = this.#all.map((trainer) => ({
      seed: seedOf(trainer),
      fromStep: trainer.editableStep,
      factor,
    }));
    for (const trainer of this.#all) trainer.addLearningRateEdits(edits);
  }

  /** After a step that came to nothing: edits count from it, where no seed has taken it. Answers their rows as they are now. */
  pullEdits(): readonly SeedRow[] {
    if (!this.aligned) return [];
    return this.#all.flatMap((trainer) => rowsOfSeed(seedOf(trainer), trainer.pullEdits()));
  }

  /** Follows one prompt in every seed; null = none. @throws PlaygroundError `run-state`. */
  pinPrompt(promptId: string | null): void {
    for (const trainer of this.#all) trainer.pinPrompt(promptId);
  }

  /** The seed's newest groups, with log-probabilities after the update. */
  measureNewest(seed: number): Promise<readonly RolloutGroup[]> {
    return this.#of(seed).measureNewest();
  }

  get #all(): readonly Trainer[] {
    return [...this.#trainers.values()];
  }

  #first(wanted: (trainer: Trainer) => boolean): Trainer {
    return defined(this.#all.find(wanted), "a seed that can go on");
  }

  #of(seed: number): Trainer {
    const trainer = this.#trainers.get(seed);
    if (trainer !== undefined) return trainer;
    throw new PlaygroundError({
      code: "run-state",
      where: "seed",
      expected: `one of ${this.seeds.join(", ")}`,
      got: String(seed),
      next: "Choose a seed of this run.",
    });
  }
}

const seedOf = ({ record }: Trainer): number => record.spec.seed;

function progressOf(trainer: Trainer, { rows, groups }: Progressed): SeedProgressed {
  const seed = seedOf(trainer);
  return { seed, rows: rowsOfSeed(seed, rows), groups };
}
