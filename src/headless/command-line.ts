/** What the command line of `npm run experiment` asks for. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PlaygroundError } from "../base/errors.ts";
import { experimentJsonSchema, type Experiment } from "../domain/experiment/experiment-schema.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { STORAGE_BITS, type WeightStorage } from "../engine/weights/stored-weight.ts";
import { chooseEngine } from "./engine-choice.ts";
import { makePlan, type Plan } from "./plan.ts";
import type { Folders } from "./results.ts";

const RESULTS = "experiments/results";
const CHECKPOINTS = ".cache/experiments";

/** Folders under models/ of the two stages of the bundled model. */
const BASE_MODELS: Readonly<Record<Experiment["base"], string>> = {
  good: "playground-qwen3-1m",
  weak: "playground-qwen3-1m-early",
};

const USAGE = `npm run experiment -- FILE.json [--cells a,b] [--seeds 1,2] [--engine wasm] [--threads N] [more]

FILE.json      an experiment (experiments/*.json; fields: public/experiment.schema.json), or a run's settings
               as the page saves them under Files, with any prompts and the rubric of every step
--cells        some of the experiment's cells
--seeds        some of the experiment's seeds; any seeds for a run's settings (else the file's own)
--engine       node (onnxruntime-node, unless given) or wasm (the page's runtime: its numbers, at half the speed)
--processes    2 or more: the runs shared by so many processes, one a core
--threads      threads of a matrix product; 1 unless given
--model        folder of the model, or its GGUF file; the base that the file names unless given
--storage      how its matrices are held: f32, q8 or q4 (blocks of 32 with 8 or 4 bits). Unless given, as the run's
               settings say, else as the page does: q8 for a model that --model names, f32 for the bundled one
--adapters     folder to write each arm's adapter to, as PEFT loads it
--merged       folder to write each arm's model to with its adapter merged in, as transformers loads it
--start-adapter  folder of a LoRA adapter, as PEFT saves it, that every arm starts from
--embedder     folder of all-MiniLM-L6-v2 for checks that compare meanings (scripts/model/fetch_minilm.py)
--results      folder of the results; ${RESULTS} unless given
--checkpoints  folder of the checkpoints; ${CHECKPOINTS} unless given
--schema       only print the JSON Schema of an experiment's file (public/experiment.schema.json)

It writes ${RESULTS}/NAME/[CELL/]: seed-N.jsonl (a line a row, as the page exports) and summary.md with summary.json
over the finished seeds. Stop it and start it again: the same command goes on from ${CHECKPOINTS}/NAME/.
An endpoint that judges gets the key that the environment holds as JUDGE_KEY.`;

export interface Settings {
  readonly plan: Plan;
  /** How many processes to share the runs with; 1: this one runs them. */
  readonly processes: number;
  /** True for one of several processes, which leaves what is over all of them to the one that started it. */
  readonly isShare: boolean;
  readonly model: string;
  readonly storage: WeightStorage;
  readonly openEngine: () => Promise<Engine>;
  readonly folders: Folders;
  readonly adapters: string | undefined;
  readonly embedder: string | undefined;
  readonly merged: string | undefined;
  readonly startAdapter: string | undefined;
}

/**
 * null where only a text was asked for, which is printed.
 * @throws PlaygroundError `config-invalid` or `rubric-invalid` for what does not fit, in the command or the file
 */
export async function readSettings(args: readonly string[]): Promise<Settings | null> {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      model: text,
      storage: text,
      cells: text,
      seeds: text,
      engine: { ...text, default: "node" },
      threads: { ...text, default: "1" },
      processes: { ...text, default: "1" },
      share: text,
      results: { ...text, default: RESULTS },
      checkpoints: { ...text, default: CHECKPOINTS },
      adapters: text,
      embedder: text,
      merged: text,
      "start-adapter": text,
      schema: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [source] = positionals;
  if (values.help === true || values.schema === true) {
    console.log(values.schema === true ? JSON.stringify(experimentJsonSchema(), null, 1) : USAGE);
    return null;
  }
  if (source === undefined) throw new Error(`expected a file, got none. ${USAGE}`);
  const plan = makePlan(await readFile(source, "utf8"), source, values);
  if (plan.savedWith !== null) {
    console.log(`${source}: a run's settings, saved with the model ${plan.savedWith}`);
  }
  return {
    plan,
    processes: values.share === undefined ? wholeNumber("--processes", values.processes) : 1,
    isShare: values.share !== undefined,
    ...modelOf(plan, source, values),
    openEngine: chooseEngine(values.engine, wholeNumber("--threads", values.threads)),
    folders: { results: values.results, checkpoints: values.checkpoints },
    adapters: values.adapters,
    embedder: values.embedder,
    merged: values.merged,
    startAdapter: values["start-adapter"],
  };
}

function modelOf(
  { identity, experiment }: Plan,
  source: string,
  asked: { readonly model?: string | undefined; readonly storage?: string | undefined },
): Pick<Settings, "model" | "storage"> {
  if (identity !== null && asked.model === undefined) throw needsModel(source, identity.id);
  const usual = asked.model === undefined ? "f32" : "q8";
  return {
    model: asked.model ?? join("models", BASE_MODELS[experiment.base]),
    storage: storageOf(asked.storage ?? identity?.storage ?? usual),
  };
}

/** Its settings would train another model in its name. */
function needsModel(source: string, id: string): PlaygroundError {
  return new PlaygroundError({
    code: "config-invalid",
    where: source,
    expected: `the model of these settings, ${id}, on this machine`,
    got: "no --model",
    next: "Download its files, and name their folder or the GGUF file: --model FOLDER.",
  });
}

function storageOf(name: string): WeightStorage {
  if (Object.hasOwn(STORAGE_BITS, name)) return name as WeightStorage;
  throw new PlaygroundError({
    code: "config-invalid",
    where: "--storage",
    expected: Object.keys(STORAGE_BITS).join(", "),
    got: name,
    next: "Correct the command.",
  });
}

function wholeNumber(where: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  const expected = "a whole number from 1 on";
  throw new PlaygroundError({
    code: "config-invalid",
    where,
    expected,
    got: text,
    next: "Correct the command.",
  });
}
