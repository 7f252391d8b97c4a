/**
 * The raw rows of the current run, outside React: appended as batches arrive, read by derivations and exports.
 * Rows of a step that was undone by a resume replace the old ones only through `clear`. One seed is in focus: the rubric,
 * the strips and the story are its own; bands are drawn over all.
 */
import { createVerdictTally, type VerdictTally } from "../../domain/rubric/verdict-tally.ts";
import type { ArmStep, Evaluation, RolloutGroup, RubricEdit, SeedRow } from "../../domain/run/records.ts";
import { versionAt, type RubricVersion } from "../../domain/run/rubric-versions.ts";

/** The rows of one seed by arm. */
interface SeedShelf {
  readonly steps: Map<string, ArmStep[]>;
  readonly evaluations: Map<string, Evaluation[]>;
}

export interface RunBuffer {
  readonly append: (rows: readonly SeedRow[]) => void;
  /** Empties it for a run of these seeds; the first is in focus. */
  readonly clear: (seeds: readonly number[]) => void;
  readonly focus: (seed: number) => void;
  /** Counts the verdicts of a step's groups, each group once. */
  readonly see: (seed: number, groups: readonly RolloutGroup[], versions: readonly RubricVersion[]) => void;
  /** Over all answers that reached the page; the live counts. */
  readonly seen: () => VerdictTally;
  /** Every row in the order it came; the live array, not to be changed. */
  readonly rows: () => readonly SeedRow[];
  readonly seedCount: () => number;
  /** Of the seed in focus. */
  readonly steps: (arm: string) => readonly ArmStep[];
  readonly evaluations: (arm: string) => readonly Evaluation[];
  /** One list a seed, in the seeds' order; a list of fewer rows belongs to a seed that is a step behind. */
  readonly stepsBySeed: (arm: string) => readonly (readonly ArmStep[])[];
  readonly evaluationsBySeed: (arm: string) => readonly (readonly Evaluation[])[];
  /** Another list after every edit: charts compare it with what they drew. */
  readonly edits: () => readonly RubricEdit[];
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

const emptyShelf = (): SeedShelf => ({ steps: new Map(), evaluations: new Map() });

export function createRunBuffer(): RunBuffer {
  const all: SeedRow[] = [];
  let edits: readonly RubricEdit[] = [];
  let shelves = new Map<number, SeedShelf>();
  let focused = 0;
  const tally = createVerdictTally();
  const counted = new Set<string>();
  const shelfOf = (seed: number): SeedShelf => {
    const known = shelves.get(seed) ?? emptyShelf();
    shelves.set(seed, known);
    return known;
  };
  const add = (row: SeedRow): void => {
    all.push(row);
    if (row.kind === "step") push(shelfOf(row.seed).steps, row.arm, row);
    else if (row.kind === "evaluation") push(shelfOf(row.seed).evaluations, row.arm, row);
    // every seed tells of the same edit; it ends those that the run's specification held for later steps
    else
      edits = [
        ...edits.filter((edit) => edit.step <= row.step && edit.rubricVersion !== row.rubricVersion),
        row,
      ];
  };
  return {
    append: (rows) => {
      rows.forEach(add);
    },
    clear: (seeds) => {
      all.length = 0;
      edits = [];
      shelves = new Map(seeds.map((seed) => [seed, emptyShelf()]));
      focused = seeds[0] ?? 0;
      tally.clear();
      counted.clear();
    },
    see: (seed, groups, versions) => {
      for (const { arm, step, promptId, criterionIds, rollouts } of groups) {
        const group = JSON.stringify([seed, arm, step, promptId]);
        const criteria = versionAt(versions, step)?.rubric.criteria ?? [];
        const isOwn = criteria.map(({ id }) => id).join("\n") === criterionIds.join("\n");
        if (!isOwn || counted.has(group)) continue;
        counted.add(group);
        tally.add(
          criteria,
          rollouts.map((rollout) => rollout.verdictsBeforeNoise),
        );
      }
    },
    seen: () => tally,
    focus: (seed) => {
      focused = seed;
    },
    rows: () => all,
    seedCount: () => shelves.size,
    steps: (arm) => shelves.get(focused)?.steps.get(arm) ?? [],
    evaluations: (arm) => shelves.get(focused)?.evaluations.get(arm) ?? [],
    stepsBySeed: (arm) => [...shelves.values()].map(({ steps }) => steps.get(arm) ?? []),
    evaluationsBySeed: (arm) => [...shelves.values()].map(({ evaluations }) => evaluations.get(arm) ?? []),
    edits: () => edits,
  };
}
