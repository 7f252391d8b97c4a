/** Where an experiment's files lie, and what is written over the seeds that are finished: a line a row, and a summary a cell. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Experiment } from "../domain/experiment/experiment-schema.ts";
import { summarise } from "../domain/experiment/summary.ts";
import { rowsToJsonl } from "../domain/run/export.ts";
import type { RunRecord } from "../training/run-record.ts";
import type { PlannedCell } from "./plan.ts";
import { finishedSeeds } from "./run-seed.ts";
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
  const { cell, specOf } = planned;
  const { runs, others } = await finishedSeeds(cell.seeds.map(specOf), (seed) =>
    checkpointOf(folders, experiment, planned, seed),
  );
  if (runs.length === 0) return others;
  const arms = cell.arms.map((arm) => arm.id);
  const { baseline, target } = experiment;
  const summary = summarise(runs, { arms, baseline, target });
  const folder = resultsOf(folders, experiment, planned);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  await writeFile(join(folder, "summary.md"), summaryTable(experiment, cell, model, summary));
  return others;
}
