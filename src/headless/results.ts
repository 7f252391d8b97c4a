/** Where an experiment's files lie, and what is written over the seeds that are finished: a line a row, a summary a cell, the map. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Experiment } from "../domain/experiment/experiment-schema.ts";
import type { MapData } from "../domain/experiment/map-data.ts";
import { summarise, type SeedRows, type Summary } from "../domain/experiment/summary.ts";
import { trainingCell } from "../domain/experiment/training-map.ts";
import { rowsToCsv, rowsToJsonl } from "../domain/run/export.ts";
import { rowsOfSeed } from "../domain/run/records.ts";
import { BASELINE } from "../domain/simulator/compare-rules.ts";
import { simulatedMap } from "../domain/simulator/simulated-map.ts";
import type { SimulatorSettings } from "../domain/simulator/settings.ts";
import type { RunRecord } from "../training/run-record.ts";
import type { Plan, PlannedCell } from "./plan.ts";
import { finishedSeeds, type FinishedSeeds } from "./run-seed.ts";
import { summaryTable } from "./summary-table.ts";

/** Below each, a folder an experiment, and in it one a cell where the file has cells. */
export interface Folders {
  readonly results: string;
  readonly checkpoints: string;
}

export function checkpointOf(
  folders: Folders,
  { name }: Experiment,
  cell: PlannedCell,
  seed: number,
): string {
  return join(folders.checkpoints, name, cell.cell.id ?? "", `seed-${seed}.run`);
}

export function resultsOf(folders: Folders, { name }: Experiment, { cell }: PlannedCell): string {
  return join(folders.results, name, cell.id ?? "");
}

export async function writeSeed(folder: string, seed: number, record: RunRecord): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `seed-${seed}.jsonl`), rowsToJsonl(record.rows));
}

/** Over every finished seed of the cell, whichever process ran it. Answers the seeds it leaves out for their settings. */
export async function writeSummary(
  folders: Folders,
  experiment: Experiment,
  planned: PlannedCell,
  model: string,
): Promise<readonly number[]> {
  const { runs, others } = await finishedOf(folders, experiment, planned);
  if (runs.length === 0) return others;
  const summary = summaryOf(experiment, planned, runs);
  const folder = resultsOf(folders, experiment, planned);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  await writeFile(join(folder, "summary.md"), summaryTable(experiment, planned.cell, model, summary));
  await writeFile(join(folder, "evaluations.csv"), evaluationsCsv(runs));
  return others;
}

function finishedOf(folders: Folders, experiment: Experiment, planned: PlannedCell): Promise<FinishedSeeds> {
  return finishedSeeds(planned.cell.seeds.map(planned.specOf), (seed) =>
    checkpointOf(folders, experiment, planned, seed),
  );
}

function summaryOf(experiment: Experiment, { cell }: PlannedCell, runs: readonly SeedRows[]): Summary {
  const { baseline, target } = experiment;
  return summarise(runs, { arms: cell.arms.map((arm) => arm.id), baseline, target });
}

/** The numbers behind a summary, small enough to keep: a line an evaluation. */
function evaluationsCsv(runs: readonly SeedRows[]): string {
  const evaluations = runs.flatMap(({ seed, rows }) =>
    rowsOfSeed(
      seed,
      rows.filter((row) => row.kind === "evaluation"),
    ),
  );
  return rowsToCsv(evaluations);
}

/**
 * Every cell of the map by the simulator, where it has the experiment's baseline, and those with a finished seed by
 * training. Answers the file's path.
 */
export async function writeMap(
  folders: Folders,
  { experiment, allCells }: Plan,
  simulator: SimulatorSettings,
): Promise<string> {
  const cells: MapData["cells"] = experiment.baseline === BASELINE ? [...simulatedMap(simulator)] : [];
  for (const planned of allCells) {
    const { runs } = await finishedOf(folders, experiment, planned);
    const cell = trainingCell(planned.cell, summaryOf(experiment, planned, runs));
    if (cell !== null) cells.push(cell);
  }
  const map: MapData = { baseline: experiment.baseline, cells };
  const path = join(folders.results, experiment.name, "map.json");
  await mkdir(join(folders.results, experiment.name), { recursive: true });
  await writeFile(path, `${JSON.stringify(map, null, 1)}\n`);
  return path;
}
