/**
 * `npm run experiment -- FILE.json`: arms x seeds on the engine under Node; see USAGE. Stop it and start it again: it goes on
 * from its checkpoints in .cache/. Several processes may share the seeds of one experiment; each writes the summary of the
 * seeds that are finished by then.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toFaultMessage } from "../base/errors.ts";
import { checks } from "../domain/rubric/checks/registry.ts";
import { parseJson } from "../domain/rubric/schema-problems.ts";
import { rowsToJsonl } from "../domain/run/export.ts";
import type { Evaluation } from "../domain/run/records.ts";
import { isSettingsFile } from "../domain/run/settings-file.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import { openNodeEngine } from "../engine/runtime/ort-node.ts";
import { createTextCodec } from "../engine/text/tokenizer.ts";
import { loadModel, type LoadedModel } from "../engine/weights/load-model.ts";
import { writePeftAdapter } from "../engine/weights/peft-adapter.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import { checkSpecRoom } from "../training/room.ts";
import type { RunRecord } from "../training/run-record.ts";
import { chooseSeeds, parseExperiment, specOfSeed, type Experiment } from "./experiment-file.ts";
import { createFolderSource, findOnlyModel } from "./folder-source.ts";
import { finishedSeeds, isFinished, readCheckpoint, runSeed } from "./run-seed.ts";
import { settingsRun } from "./settings-run.ts";
import { summarise } from "./summary.ts";
import { summaryTable } from "./summary-table.ts";

const RESULTS = "experiments/results";
const CHECKPOINTS = ".cache/experiments";

const USAGE = `npm run experiment -- FILE.json [--seeds 1,2] [--threads N] [--model DIR] [--adapters DIR]

FILE.json      an experiment (experiments/*.json; fields: src/headless/experiment-file.ts), or a run's settings as the page
               saves them under Files, with any prompts and the rubric of every step
--seeds        some of the experiment's seeds; any seeds for a run's settings (else the file's own)
--threads      threads of a matrix product; 1 unless given
--model        folder of the model; the one under models/ unless there are more
--adapters     folder to write each arm's adapter to, as PEFT loads it

It writes ${RESULTS}/NAME/: seed-N.jsonl (a line a row, as the page exports) and summary.md with summary.json over the
finished seeds. Ctrl-C stops it; the same command goes on from ${CHECKPOINTS}/NAME/.`;

interface Settings {
  readonly experiment: Experiment;
  readonly specOf: (seed: number) => RunSpec;
  readonly model: string;
  readonly seeds: readonly number[];
  readonly threads: number;
  readonly adapters: string | undefined;
}

/** null where only help was asked for. */
async function readSettings(): Promise<Settings | null> {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      model: text,
      seeds: text,
      threads: text,
      adapters: text,
      help: { type: "boolean", short: "h" },
    },
  });
  const [source] = positionals;
  if (values.help === true) return null;
  if (source === undefined) throw new Error(`expected a file, got none. ${USAGE}`);
  return {
    ...(await readPlan(source, values.seeds)),
    model: values.model ?? (await findOnlyModel("models")),
    threads: Number(values.threads ?? 1),
    adapters: values.adapters,
  };
}

/** What an experiment's file, or a run's settings, ask for. */
async function readPlan(
  source: string,
  list: string | undefined,
): Promise<Pick<Settings, "experiment" | "specOf" | "seeds">> {
  const text = await readFile(source, "utf8");
  if (isSettingsFile(parseJson(text, "config-invalid", source))) {
    const { experiment, specOf, model } = settingsRun(text, source, list);
    console.log(`${source}: a run's settings, saved with the model ${model}`);
    return { experiment, specOf, seeds: experiment.seeds };
  }
  const experiment = parseExperiment(text, source);
  const specOf = (seed: number): RunSpec => specOfSeed(experiment, seed, source);
  return { experiment, specOf, seeds: chooseSeeds(experiment, list) };
}

const checkpointOf = (experiment: Experiment, seed: number): string =>
  join(CHECKPOINTS, experiment.name, `seed-${seed}.run`);

async function runExperiment(settings: Settings, signal: AbortSignal): Promise<void> {
  const { experiment, seeds, specOf } = settings;
  const model = await loadModel(createFolderSource(settings.model), signal);
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const engine = openNodeEngine(settings.threads);
  try {
    for (const seed of seeds) {
      const spec = specOf(seed);
      const { maxPositions } = model.config;
      checkSpecRoom(codec, maxPositions, spec);
      const policy = createModelPolicy({ engine, model, lora: spec.grpo.lora, maxPositions });
      const deps = { policy, codec, checks, now: () => performance.now() };
      const checkpoint = checkpointOf(experiment, seed);
      await sayCheckpoint(seed, checkpoint);
      const startedAt = performance.now();
      const report = (record: RunRecord, evaluations: readonly Evaluation[]): void => {
        if (evaluations.length === 0) return;
        const minutes = (performance.now() - startedAt) / 60_000;
        console.log(
          `seed ${seed} step ${record.step} (${minutes.toFixed(1)} min): ${evaluations.map(sayScore).join(", ")}`,
        );
      };
      const record = await runSeed(deps, { spec, checkpoint, signal, report });
      await policy.dispose();
      await writeSeed(experiment, seed, record);
      await writeSummary(settings, model.name);
      if (settings.adapters !== undefined) await writeAdapters(settings.adapters, record, model);
    }
    console.log(`results: ${join(RESULTS, experiment.name, "summary.md")}`);
  } finally {
    await engine.dispose();
  }
}

function sayScore({ arm, score, learningPassRate }: Evaluation): string {
  const say = (value: number | null): string => value?.toFixed(3) ?? "—";
  return `${arm} ${say(score)} (learning ${say(learningPassRate)})`;
}

/** What an earlier call left, so that a seed that ends at once is no riddle. */
async function sayCheckpoint(seed: number, checkpoint: string): Promise<void> {
  const before = await readCheckpoint(checkpoint);
  if (before === null) return;
  if (isFinished(before)) {
    console.log(`seed ${seed} was finished by an earlier call; delete ${checkpoint} to train it afresh`);
  } else console.log(`seed ${seed} goes on at step ${before.step} from ${checkpoint}`);
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

async function writeSeed(experiment: Experiment, seed: number, record: RunRecord): Promise<void> {
  const folder = join(RESULTS, experiment.name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `seed-${seed}.jsonl`), rowsToJsonl(record.rows));
}

/** Over every finished seed of the experiment, whichever process ran it. */
async function writeSummary({ experiment, specOf }: Settings, model: string): Promise<void> {
  const specs = experiment.seeds.map(specOf);
  const { runs, others } = await finishedSeeds(specs, (seed) => checkpointOf(experiment, seed));
  if (others.length > 0) {
    console.log(`not in the summary: seeds ${others.join(", ")}, whose checkpoints are of other settings`);
  }
  if (runs.length === 0) return;
  const arms = experiment.arms.map((arm) => arm.id);
  const summary = summarise(runs, arms, experiment.baseline);
  const folder = join(RESULTS, experiment.name);
  await writeFile(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  await writeFile(join(folder, "summary.md"), summaryTable(experiment, model, summary));
}

const controller = new AbortController();
process.once("SIGINT", () => {
  console.log("stopping after this chunk; the same command goes on from here");
  controller.abort();
});
try {
  const settings = await readSettings();
  if (settings === null) console.log(USAGE);
  else await runExperiment(settings, controller.signal);
} catch (error) {
  console.error(toFaultMessage(error, "experiment").message);
  process.exitCode = 1;
}
