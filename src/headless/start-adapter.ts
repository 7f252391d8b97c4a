/** An experiment from an adapter made elsewhere: a PEFT folder of this machine, from which every arm and seed starts. */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { PlaygroundError } from "../base/errors.ts";
import { parseRunSpec } from "../domain/run/parse-run-spec.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { openModelFiles } from "../engine/weights/load-model.ts";
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from "../engine/weights/peft-import.ts";
import { openStartAdapter, type OpenedStart } from "../training/start-adapter.ts";
import { createFolderSource } from "./folder-source.ts";
import type { Plan, PlannedCell } from "./plan.ts";

/** The adapter in a folder, for the model in another one. @throws PlaygroundError `adapter-refused`, or the model's own faults */
export async function readStart(folder: string, modelFolder: string): Promise<OpenedStart> {
  const { config } = await openModelFiles(createFolderSource(modelFolder));
  const read = async (name: string): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await readFile(join(folder, name)));
    } catch (cause) {
      throw refused(join(folder, name), "a file", cause instanceof Error ? cause.message : String(cause));
    }
  };
  const files = { config: await read(ADAPTER_CONFIG), weights: await read(ADAPTER_WEIGHTS) };
  return openStartAdapter({ name: basename(folder), ...files }, config);
}

/**
 * The plan with every run starting from the adapter, its LoRA settings with it; null = as the files say.
 * @throws PlaygroundError `adapter-refused` for a run's settings that start from another adapter, or from one that was not given
 */
export function planFrom(plan: Plan, start: OpenedStart | null): Plan {
  const from = (planned: PlannedCell): PlannedCell => ({
    ...planned,
    specOf: (seed) => specFrom(planned.specOf(seed), start),
  });
  const started = { ...plan, cells: plan.cells.map(from), allCells: plan.allCells.map(from) };
  for (const { specOf, seeds } of started.allCells) seeds.slice(0, 1).forEach(specOf);
  return started;
}

function specFrom(spec: RunSpec, opened: OpenedStart | null): RunSpec {
  const wanted = spec.startAdapter;
  if (opened === null && wanted === undefined) return spec;
  if (opened === null || (wanted !== undefined && wanted.sha256 !== opened.start.sha256)) {
    const expected = `the adapter "${wanted?.name ?? ""}" (SHA-256 ${wanted?.sha256.slice(0, 12) ?? ""} …), from which these settings start`;
    throw refused("--start-adapter", expected, opened === null ? "none" : `"${opened.start.name}"`);
  }
  const { start } = opened;
  const lora = start.lora;
  return parseRunSpec(
    { ...spec, startAdapter: wanted ?? start, grpo: { ...spec.grpo, lora } },
    "--start-adapter",
  );
}

function refused(where: string, expected: string, got: string): PlaygroundError {
  const next = "Give the folder that PEFT saved, with --start-adapter FOLDER.";
  return new PlaygroundError({ code: "adapter-refused", where, expected, got, next });
}
