/**
 * `npm run experiment -- FILE.json [--model DIR] [--seeds 1,2] [--threads N]`: arms x seeds on the engine under Node.
 * Stop it and start it again: it goes on from its checkpoints in .cache/. Several processes may share the seeds of one
 * experiment; each writes the summary of the seeds that are finished by then.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toFaultMessage } from "../base/errors.ts";
import { checks } from "../domain/rubric/checks/registry.ts";
import { rowsToJsonl } from "../domain/run/export.ts";
import type { Evaluation } from "../domain/run/records.ts";
import { openNodeEngine } from "../engine/runtime/ort-node.ts";
import { createTextCodec } from "../engine/text/tokenizer.ts";
import { loadModel } from "../engine/weights/load-model.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import { checkSpecRoom } from "../training/room.ts";
import type { RunRecord } from "../training/run-record.ts";
import { chooseSeeds, parseExperiment, specOfSeed, type Experiment } from "./experiment-file.ts";
import { createFolderSource, findOnlyModel } from "./folder-source.ts";
import { finishedSeeds, runSeed } from "./run-seed.ts";
import { summarise } from "./summary.ts";
import { summaryTable } from "./summary-table.ts";

const RESULTS = "experiments/results";
const CHECKPOINTS = ".cache/experiments";

interface Settings {
  readonly source: string;
  readonly experiment: Experiment;
  readonly model: string;
  readonly seeds: readonly number[];
  readonly threads: number;
}

async function readSettings(): Promise<Settings> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { model: { type: "string" }, seeds: { type: "string" }, threads: { type: "string" } },
  });
  const [source] = positionals;
  if (source === undefined) throw new Error("usage: npm run experiment -- experiments/FILE.json");
  const experiment = parseExperiment(await readFile(source, "utf8"), source);
  return {
    source,
    experiment,
    model: values.model ?? (await findOnlyModel("models")),
    seeds: chooseSeeds(experiment, values.seeds),
    threads: Number(values.threads ?? 1),
  };
}

const checkpointOf = (experiment: Experiment, seed: number): string =>
  join(CHECKPOINTS, experiment.name, `seed-${seed}.run`);

async function runExperiment(settings: Settings, signal: AbortSignal): Promise<void> {
  const { experiment, seeds, source } = settings;
  const model = await loadModel(createFolderSource(settings.model), signal);
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const engine = openNodeEngine(settings.threads);
  try {
    for (const seed of seeds) {
      const spec = specOfSeed(experiment, seed, source);
      const { maxPositions } = model.config;
      checkSpecRoom(codec, maxPositions, spec);
      const policy = createModelPolicy({ engine, model, lora: spec.grpo.lora, maxPositions });
      const deps = { policy, codec, checks, now: () => performance.now() };
      const checkpoint = checkpointOf(experiment, seed);
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
      await writeSummary(experiment, source, model.name);
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

async function writeSeed(experiment: Experiment, seed: number, record: RunRecord): Promise<void> {
  const folder = join(RESULTS, experiment.name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `seed-${seed}.jsonl`), rowsToJsonl(record.rows));
}

/** Over every finished seed of the experiment, whichever process ran it. */
async function writeSummary(experiment: Experiment, source: string, model: string): Promise<void> {
  const specs = experiment.seeds.map((seed) => specOfSeed(experiment, seed, source));
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
  await runExperiment(await readSettings(), controller.signal);
} catch (error) {
  console.error(toFaultMessage(error, "experiment").message);
  process.exitCode = 1;
}
