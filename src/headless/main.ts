/**
 * `npm run experiment -- FILE.json`: cells x arms x seeds on the engine under Node; see USAGE. Stop it and start it again: it
 * goes on from its checkpoints in .cache/. Several processes may share the cells and seeds of one experiment; each writes
 * the summary of the seeds that are finished by then.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toFaultMessage } from "../base/errors.ts";
import { experimentJsonSchema, type Experiment } from "../domain/experiment/experiment-schema.ts";
import { checks } from "../domain/rubric/checks/registry.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { createTextCodec } from "../engine/text/tokenizer.ts";
import { loadModel, type LoadedModel } from "../engine/weights/load-model.ts";
import { writePeftAdapter } from "../engine/weights/peft-adapter.ts";
import type { TrainingDeps } from "../training/deps.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import { checkSpecRoom } from "../training/room.ts";
import type { RunRecord } from "../training/run-record.ts";
import { chooseEngine } from "./engine-choice.ts";
import { createFolderSource } from "./folder-source.ts";
import { makePlan, type Plan, type PlannedCell } from "./plan.ts";
import type { Folders } from "./results.ts";
import { runPlan } from "./run-plan.ts";

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
--threads      threads of a matrix product; 1 unless given
--model        folder of the model; the base that the file names unless given
--adapters     folder to write each arm's adapter to, as PEFT loads it
--results      folder of the results; ${RESULTS} unless given
--checkpoints  folder of the checkpoints; ${CHECKPOINTS} unless given
--schema       only print the JSON Schema of an experiment's file (public/experiment.schema.json)

It writes ${RESULTS}/NAME/[CELL/]: seed-N.jsonl (a line a row, as the page exports) and summary.md with summary.json
over the finished seeds. Stop it and start it again: the same command goes on from ${CHECKPOINTS}/NAME/.`;

interface Settings {
  readonly plan: Plan;
  readonly model: string;
  readonly openEngine: () => Promise<Engine>;
  readonly folders: Folders;
  readonly adapters: string | undefined;
}

/** null where only a text was asked for, which is printed. */
async function readSettings(): Promise<Settings | null> {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      model: text,
      cells: text,
      seeds: text,
      engine: { ...text, default: "node" },
      threads: { ...text, default: "1" },
      results: { ...text, default: RESULTS },
      checkpoints: { ...text, default: CHECKPOINTS },
      adapters: text,
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
  const plan = makePlan(await readFile(source, "utf8"), source, { cells: values.cells, seeds: values.seeds });
  if (plan.savedWith !== null)
    console.log(`${source}: a run's settings, saved with the model ${plan.savedWith}`);
  return {
    plan,
    model: values.model ?? join("models", BASE_MODELS[plan.experiment.base]),
    openEngine: chooseEngine(values.engine, values.threads),
    folders: { results: values.results, checkpoints: values.checkpoints },
    adapters: values.adapters,
  };
}

async function runExperiment({ plan, ...settings }: Settings, signal: AbortSignal): Promise<void> {
  const model = await loadModel(createFolderSource(settings.model), signal);
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const engine = await settings.openEngine();
  const { maxPositions } = model.config;
  const open = (spec: RunSpec): TrainingDeps => {
    checkSpecRoom(codec, maxPositions, spec);
    const policy = createModelPolicy({ engine, model, lora: spec.grpo.lora, maxPositions });
    return { policy, codec, checks, now: () => performance.now() };
  };
  const onSeed = async ({ cell }: PlannedCell, record: RunRecord): Promise<void> => {
    if (settings.adapters === undefined) return;
    await writeAdapters(join(settings.adapters, cell.id ?? ""), record, model);
  };
  const say = (line: string): void => {
    console.log(line);
  };
  try {
    await runPlan({ plan, model: model.name, open, folders: settings.folders, signal, say, onSeed });
    console.log(`results: ${join(settings.folders.results, plan.experiment.name)}`);
  } finally {
    await engine.dispose();
  }
}

/** Each arm's adapter as a PEFT folder, by seed. */
async function writeAdapters(folder: string, { arms, spec }: RunRecord, model: LoadedModel): Promise<void> {
  const layout = loraLayout(model.config, spec.grpo.lora);
  for (const { id, adapter } of arms) {
    const place = join(folder, `seed-${spec.seed}`, id.replaceAll(/[^\w-]/g, "_"));
    await mkdir(place, { recursive: true });
    const files = writePeftAdapter(adapter, layout, model.name);
    await writeFile(join(place, "adapter_config.json"), files["adapter_config.json"]);
    await writeFile(join(place, "adapter_model.safetensors"), files["adapter_model.safetensors"]);
    console.log(`adapter: ${place}`);
  }
}

const controller = new AbortController();
process.once("SIGINT", () => {
  console.log("stopping after this chunk; the same command goes on from here");
  controller.abort();
});
try {
  const settings = await readSettings();
  if (settings !== null) await runExperiment(settings, controller.signal);
} catch (error) {
  console.error(toFaultMessage(error, "experiment").message);
  process.exitCode = 1;
}
