/** A whole run as one zip: what it was made of, what it measured, what it learned, and by what it was computed. */
import { strToU8, zipSync, type Zippable } from "fflate";
import manifest from "../../../package.json" with { type: "json" };
import { rowsToCsv, rowsToJsonl } from "../../domain/run/export.ts";
import { writeRubricFile } from "../../domain/rubric/rubric-file.ts";
import { defined } from "../../base/assert.ts";
import type { SeedRow } from "../../domain/run/records.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { ModelInfo } from "../protocol/messages.ts";
import { adapterFiles, noteOf, ZIP_OPTIONS, type ArmAdapter } from "./adapter-zip.ts";
import type { BaseModel } from "./base-model.ts";

export interface RunZip {
  /** Of every seed. */
  readonly records: readonly RunRecord[];
  readonly rows: readonly SeedRow[];
  readonly model: ModelInfo;
  readonly base: BaseModel;
  /** The settings file's text. */
  readonly settings: string;
  readonly adapters: readonly ArmAdapter[];
  /** The adapter that it started from; null for a fresh one. */
  readonly start: ArmAdapter | null;
}

/** Libraries that the numbers come from. */
const LIBRARIES = ["onnxruntime-web", "@huggingface/transformers"] as const;

export function zipRun(run: RunZip): Uint8Array<ArrayBuffer> {
  const first = defined(run.records[0], "a seed");
  const rubric = defined(first.rubrics.at(-1), "a rubric").rubric;
  const texts: Zippable = {
    "README.txt": strToU8(readmeOf(run, first.step)),
    "run.json": strToU8(`${JSON.stringify(aboutOf(run, first), null, 1)}\n`),
    "settings.json": strToU8(run.settings),
    "rubric.json": strToU8(writeRubricFile(rubric)),
    "metrics.csv": strToU8(rowsToCsv(run.rows)),
    "metrics.jsonl": strToU8(rowsToJsonl(run.rows)),
  };
  const { level, ...options } = ZIP_OPTIONS;
  const weights = [
    ["adapters", run.adapters],
    ["start-adapter", run.start === null ? [] : [run.start]],
  ] as const;
  const folders = weights.flatMap(([folder, adapters]) =>
    Object.entries(adapterFiles(adapters)).map(([path, bytes]): [string, Zippable[string]] => [
      `${folder}/${path}`,
      [bytes, { level }],
    ]),
  );
  return zipSync({ ...texts, ...Object.fromEntries(folders) }, options);
}

/** What neither settings nor rows say: how far it is, on which model and machine, by which builds. */
function aboutOf({ model, records }: RunZip, { id, step, spec, rubrics }: RunRecord): object {
  return {
    format: "rubric-playground-export",
    formatVersion: 1,
    run: id,
    step,
    maxSteps: spec.grpo.max_steps,
    seeds: records.map((record) => record.spec.seed),
    arms: spec.arms.map(({ id: arm, rule }) => ({ id: arm, rule })),
    rubricVersions: rubrics.map(({ version, fromStep, rubric }) => ({
      version,
      fromStep,
      title: rubric.title,
    })),
    startAdapter: spec.startAdapter ?? null,
    model,
    versions: {
      playground: manifest.version,
      ...Object.fromEntries(LIBRARIES.map((name) => [name, manifest.dependencies[name]])),
    },
  };
}

function readmeOf({ base, adapters }: RunZip, step: number): string {
  const folders = Object.keys(adapterFiles(adapters))
    .filter((path) => path.endsWith(".json"))
    .map((path) => `adapters/${path.slice(0, path.lastIndexOf("/"))}`);
  return `A run of the Rubric Playground.

run.json       how far it is, its seeds, the model, the machine, the versions of the libraries
settings.json  all settings, prompts and the rubric of every step: opened on the page, or given to npm run experiment, it
               repeats the run
rubric.json    the rubric as it stands now
metrics.*      every row, in TRL's names
adapters/      what each arm learned${step === 0 ? " (nothing yet)" : ""}
start-adapter/ what it started from, where that was an adapter made elsewhere

${noteOf(folders, base, step)}`;
}
