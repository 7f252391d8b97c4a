/** What the command line asks for: which cells and seeds of which file, each as a run's specification. */
import { isSettingsFile } from "../domain/run/settings-file.ts";
import { PlaygroundError } from "../base/errors.ts";
import {
  cellsOf,
  parseExperiment,
  specOfSeed,
  type ExperimentCell,
} from "../domain/experiment/experiment-file.ts";
import type { Experiment } from "../domain/experiment/experiment-schema.ts";
import { parseJson } from "../domain/rubric/schema-problems.ts";
import type { ModelIdentity, RunSpec } from "../domain/run/spec.ts";
import { settingsRun } from "./settings-run.ts";

export interface PlannedCell {
  readonly cell: ExperimentCell;
  /** Those to run now; the summary counts all of the cell's. */
  readonly seeds: readonly number[];
  readonly specOf: (seed: number) => RunSpec;
}

export interface Plan {
  readonly experiment: Experiment;
  /** Those to run now. */
  readonly cells: readonly PlannedCell[];
  /** All of the experiment's. */
  readonly allCells: readonly PlannedCell[];
  /** Model that a run's settings were saved with; null for an experiment. */
  readonly savedWith: string | null;
  /** The same where it is none of the bundled ones; null otherwise. */
  readonly identity: ModelIdentity | null;
}

/** Lists as typed, such as "1,3"; undefined: all. */
export interface Choice {
  readonly seeds?: string | undefined;
  readonly cells?: string | undefined;
  /** "1/3": every third of the runs that are left, from the first on. */
  readonly share?: string | undefined;
}

/**
 * @param source path of the file
 * @throws PlaygroundError `config-invalid` or `rubric-invalid` naming every problem, also of cells that are not chosen
 */
export function makePlan(text: string, source: string, choice: Choice): Plan {
  const shared = (cells: readonly PlannedCell[]): readonly PlannedCell[] => chooseShare(cells, choice.share);
  if (isSettingsFile(parseJson(text, "config-invalid", source))) {
    const { experiment, specOf, model, identity } = settingsRun(text, source, choice.seeds);
    const cells = cellsOf(experiment).map((cell) => ({ cell, seeds: cell.seeds, specOf }));
    return { experiment, cells: shared(cells), allCells: cells, savedWith: model, identity };
  }
  const experiment = parseExperiment(text, source);
  const all = cellsOf(experiment).map((cell) => ({
    cell,
    seeds: cell.seeds,
    specOf: (seed: number): RunSpec => specOfSeed(experiment, cell, seed, source),
  }));
  for (const { specOf, seeds } of all) seeds.slice(0, 1).forEach(specOf);
  const chosen = chooseCells(all, choice.cells);
  const seeded = shared(chooseSeeds(chosen, choice.seeds));
  return { experiment, cells: seeded, allCells: all, savedWith: null, identity: null };
}

function chooseCells(all: readonly PlannedCell[], list: string | undefined): readonly PlannedCell[] {
  if (list === undefined) return all;
  const ids = list.split(",").map((id) => id.trim());
  const chosen = all.filter(({ cell }) => cell.id !== null && ids.includes(cell.id));
  if (chosen.length === ids.length) return chosen;
  const known = all.flatMap(({ cell }) => cell.id ?? []);
  throw new PlaygroundError({
    code: "config-invalid",
    where: "--cells",
    expected:
      known.length === 0
        ? "no such option for a file without cells"
        : `some of ${known.join(", ")}, each once`,
    got: list,
    next: "Correct the command.",
  });
}

/** The seeds of a list in every cell that has them. */
function chooseSeeds(cells: readonly PlannedCell[], list: string | undefined): readonly PlannedCell[] {
  if (list === undefined) return cells;
  const known = [...new Set(cells.flatMap(({ seeds }) => seeds))];
  const seeds = list.split(",").map((seed) => (seed.trim() === "" ? Number.NaN : Number(seed)));
  if (seeds.every((seed) => known.includes(seed)) && new Set(seeds).size === seeds.length) {
    return cells.map((each) => ({ ...each, seeds: seeds.filter((seed) => each.seeds.includes(seed)) }));
  }
  throw new PlaygroundError({
    code: "config-invalid",
    where: "--seeds",
    expected: `some of the experiment's seeds (${known.join(", ")}), each once`,
    got: list,
    next: "A new seed goes into the experiment's file first, so that its summary counts it.",
  });
}

function chooseShare(cells: readonly PlannedCell[], share: string | undefined): readonly PlannedCell[] {
  if (share === undefined) return cells;
  const [which = Number.NaN, of = Number.NaN] = share.split("/").map(Number);
  if (!Number.isInteger(which) || !Number.isInteger(of) || which < 1 || which > of) {
    throw new PlaygroundError({
      code: "config-invalid",
      where: "--share",
      expected: "such as 1/2 or 2/2",
      got: share,
      next: "Correct the command.",
    });
  }
  let run = 0;
  return cells.map((each) => ({ ...each, seeds: each.seeds.filter(() => run++ % of === which - 1) }));
}
