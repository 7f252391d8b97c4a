/**
 * `npm run experiment -- FILE.json`: cells x arms x seeds on the engine under Node; `--help` says how. Stop it and start it
 * again: it goes on from its checkpoints. Composition only.
 */
import { basename, dirname, join, resolve } from "node:path";
import { toFaultMessage } from "../base/errors.ts";
import { checks } from "../domain/rubric/checks/registry.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { simulatorSettingsSchema } from "../domain/simulator/settings.ts";
import { openEmbedder, type TextEmbedder } from "../engine/text/embedder.ts";
import { createTextCodec } from "../engine/text/tokenizer.ts";
import { loadModel } from "../engine/weights/load-model.ts";
import type { TrainingDeps } from "../training/deps.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import { checkSpecRoom } from "../training/room.ts";
import type { RunRecord } from "../training/run-record.ts";
import { readSettings, type Settings } from "./command-line.ts";
import { createFolderSource } from "./folder-source.ts";
import type { PlannedCell } from "./plan.ts";
import { openJudges } from "./node-judges.ts";
import { createNodeSandbox } from "./node-sandbox.ts";
import { runShares } from "./processes.ts";
import { runPlan } from "./run-plan.ts";
import { planFrom, readStart } from "./start-adapter.ts";
import { writeAdapters } from "./write-adapters.ts";
import { writeMerged } from "./write-merged.ts";

const say = (line: string): void => {
  console.log(line);
};

interface Started extends Settings {
  /** The adapter that every run starts from; undefined = fresh ones. */
  readonly start: Float32Array | undefined;
}

/** Trains what is asked for, here. */
async function runHere({ plan, folders, start, ...settings }: Started, signal: AbortSignal): Promise<void> {
  const model = await loadModel(createFolderSource(settings.model), signal, undefined, settings.storage);
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds, {
    enableThinking: plan.identity?.thinking ?? false,
  });
  const engine = await settings.openEngine();
  const { maxPositions } = model.config;
  const sandbox = createNodeSandbox();
  const embedder = settings.embedder === undefined ? null : await openFolder(resolve(settings.embedder));
  const open = (spec: RunSpec): TrainingDeps => {
    checkSpecRoom(codec, maxPositions, spec);
    const policy = createModelPolicy({ engine, model, lora: spec.grpo.lora, maxPositions });
    const base = { name: model.name, policy, codec, maxPositions };
    const judges = openJudges(spec, base, process.env["JUDGE_KEY"] ?? null);
    return { policy, codec, checks, sandbox, embedder, ...judges, now: () => performance.now() };
  };
  const onSeed = async ({ cell }: PlannedCell, record: RunRecord): Promise<void> => {
    const { adapters, merged } = settings;
    if (adapters !== undefined) await writeAdapters(join(adapters, cell.id ?? ""), record, model);
    if (merged !== undefined) await writeMerged(join(merged, cell.id ?? ""), record, model);
  };
  try {
    const simulator = settings.isShare ? null : simulatorSettingsSchema.parse({});
    await runPlan({ plan, model: model.name, open, start, folders, simulator, signal, say, onSeed });
  } finally {
    sandbox.end();
    await embedder?.dispose();
    await engine.dispose();
  }
}

/** The embedding model of checks that compare meanings. */
function openFolder(path: string): Promise<TextEmbedder> {
  return openEmbedder({ source: { kind: "folder", parent: `${dirname(path)}/`, name: basename(path) } });
}

/** Lets several processes train, then writes what is over all of them. */
async function runShared({ plan, folders, model, processes }: Started, signal: AbortSignal): Promise<void> {
  if (!(await runShares(processes, process.argv.slice(2), signal)))
    throw new Error("not every process ended well");
  const summarised = { ...plan, cells: plan.cells.map((each) => ({ ...each, seeds: [] })) };
  const open = (): never => {
    throw new Error("nothing is left to be trained");
  };
  const simulator = simulatorSettingsSchema.parse({});
  await runPlan({ plan: summarised, model: basename(model), open, folders, simulator, signal, say });
}

const controller = new AbortController();
process.once("SIGINT", () => {
  console.log("stopping after this chunk; the same command goes on from here");
  controller.abort();
});
try {
  const settings = await readSettings(process.argv.slice(2));
  if (settings !== null) {
    const { startAdapter, model } = settings;
    const opened = startAdapter === undefined ? null : await readStart(startAdapter, model);
    const started = { ...settings, plan: planFrom(settings.plan, opened), start: opened?.values };
    await (settings.processes > 1 ? runShared : runHere)(started, controller.signal);
    if (!settings.isShare) say(`results: ${join(settings.folders.results, settings.plan.experiment.name)}`);
  }
} catch (error) {
  console.error(toFaultMessage(error, "experiment").message);
  process.exitCode = 1;
}
