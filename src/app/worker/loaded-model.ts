/**
 * A model, the bundled or a chosen one, on the engine that suits this machine: files, tokenizer, calibration, and the policy of a LoRA
 * setting. Owns the engine and its sessions until `dispose`.
 */
import { createRng } from "../../base/rng.ts";
import { loraConfigSchema, type LoraConfig } from "../../domain/grpo/config.ts";
import type { MeasuredSpeed } from "../../domain/run/memory-plan.ts";
import { sizeOf } from "../../engine/graph/tensor.ts";
import { calibrate, type Candidate, type PreparedWorkload } from "../../engine/runtime/calibration.ts";
import type { ModelConfig } from "../../engine/nn/model-config.ts";
import { MOST_THREADS } from "../../engine/kernels/module.ts";
import type { MachineReport } from "../../engine/runtime/device.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { createTextCodec, type ModelTextCodec } from "../../engine/text/tokenizer.ts";
import { loadModel, type LoadedModel, type LoadProgress } from "../../engine/weights/load-model.ts";
import { STORAGE_BITS } from "../../engine/weights/stored-weight.ts";
import type { ModelSource } from "../../engine/weights/model-source.ts";
import { createModelPolicy } from "../../training/model-policy/create.ts";
import { chooseCpuEngine } from "../../training/model-policy/plan-choice.ts";
import type { Policy, TextCodec } from "../../training/policy.ts";
import { MOST_POSITIONS } from "../../training/room.ts";
import type { ModelInfo, Progress } from "../protocol/messages.ts";
import type { EngineChoice, ModelOrigin, ModelUse } from "../protocol/model-messages.ts";
import type { Keeping } from "./kept-model.ts";
import { createProgress } from "./time-left.ts";
import { trialUpdate } from "./trial-update.ts";

/** Said beside the engine's reason where threads cannot share memory. */
const ONE_THREAD = "on one thread only: the page is not isolated, so threads cannot share memory";

/** "kernels" and "wasm" both are WASM to a person: our own module, or onnxruntime's. */
type BrowserEngineKind = "kernels" | "wasm" | "webgpu";

/** Timed runs of an engine, after one that warms up. */
const CALIBRATION_TRIES = 2;
/** The work that stands for training: one small group, sampled and differentiated. */
const CALIBRATION_GROUP = 8;
const CALIBRATION_TOKENS = 24;

export interface LoadOptions {
  readonly source: ModelSource;
  readonly choice: EngineChoice;
  readonly machine: MachineReport;
  readonly openEngine: (kind: BrowserEngineKind) => Promise<Engine>;
  /** Milliseconds; only differences are used. */
  readonly now: () => number;
  readonly onProgress: (progress: Progress) => void;
  /** How a model other than the bundled one is used; null = the bundled one. */
  readonly use?: ModelUse | null;
  /** As a run's specification names it; null = the bundled one. */
  readonly identity?: ModelInfo["identity"];
  readonly signal?: AbortSignal | undefined;
  /** Where the model is kept in this browser; null = nowhere. */
  readonly keeping?: Keeping | null;
}

export interface LoadedModelHost {
  readonly info: ModelInfo;
  readonly config: ModelConfig;
  /** Measured at loading, for models whose steps take long; null for the bundled one. */
  readonly speed: MeasuredSpeed | null;
  readonly codec: ModelTextCodec;
  /** Longest prompt plus completion. */
  readonly maxPositions: number;
  /** The policy of a LoRA setting, null = any; an earlier one of another setting ends. */
  readonly policyFor: (lora: LoraConfig | null) => Promise<Policy>;
  /** What was loaded, for files that are made of it. */
  readonly model: LoadedModel;
  readonly dispose: () => Promise<void>;
}

/** @throws PlaygroundError with the fault of the file, the tokenizer or the chosen engine. */
export async function openModel(options: LoadOptions): Promise<LoadedModelHost> {
  const { model, origin } = await fetchModel(options);
  const { use = null } = options;
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds, {
    enableThinking: use?.thinking ?? false,
  });
  const maxPositions = Math.min(model.config.maxPositions, MOST_POSITIONS);
  const policies = new Map<Engine, Policy>();
  const defaultLora = loraConfigSchema.parse({});
  const policyOn = (engine: Engine, lora: LoraConfig): Policy =>
    createModelPolicy({ engine, model, lora, maxPositions });
  const prepare = (engine: Engine): Promise<PreparedWorkload> => {
    const policy = policyOn(engine, defaultLora);
    policies.set(engine, policy);
    return Promise.resolve(calibrationWork(policy, codec));
  };
  const cpu = chooseCpuEngine(model.config, use === null ? null : STORAGE_BITS[use.storage]);
  const { engine, reason } = await chooseEngine({ ...options, cpu }, prepare);
  if (use !== null && !policies.has(engine)) await moveInto(engine, model);
  let current = {
    lora: defaultLora,
    policy: policies.get(engine) ?? policyOn(engine, defaultLora),
  };
  const speed = use === null ? null : await measuredSpeed(options, engine, current.policy, codec);
  return {
    config: model.config,
    speed,
    info: modelInfo(model, {
      identity: identityAt(options.identity ?? null, origin),
      origin,
      engine,
      reason,
      adapterSize: current.policy.adapterSize,
      machine: options.machine,
    }),
    codec,
    maxPositions,
    policyFor: async (wanted) => {
      const lora = wanted ?? current.lora;
      if (JSON.stringify(lora) !== JSON.stringify(current.lora)) {
        await current.policy.dispose();
        current = { lora, policy: policyOn(engine, lora) };
      }
      return current.policy;
    },
    model,
    dispose: () => engine.dispose(),
  };
}

/** Before a policy has read the weights; where there is no room, the engine ends. */
async function moveInto(engine: Engine, { weights }: LoadedModel): Promise<void> {
  const { moveWeights } = await import("./move-weights.ts");
  try {
    moveWeights(engine, weights);
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}

/** One small piece of work, timed; where loading is given up meanwhile, the engine goes with it. */
async function measuredSpeed(
  { now, onProgress, signal }: LoadOptions,
  engine: Engine,
  policy: Policy,
  codec: TextCodec,
): Promise<MeasuredSpeed> {
  const { measureSpeed } = await import("./measure-speed.ts");
  const progress = createProgress("calibrate", "tries", now);
  const onTry = (done: number, total: number): void => {
    onProgress(progress(done, total));
  };
  try {
    return await measureSpeed({ policy, codec, now, signal, onTry });
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}

async function fetchModel(
  options: LoadOptions,
): Promise<{ readonly model: LoadedModel; readonly origin: ModelOrigin | null }> {
  const { source, use, now, onProgress, signal, keeping = null } = options;
  const progress = createProgress("fetch", "bytes", now);
  const told = ({ path, loadedBytes, totalBytes }: LoadProgress): void => {
    // the other files are too small to be worth a bar
    if (path.endsWith(".safetensors") && totalBytes !== null) onProgress(progress(loadedBytes, totalBytes));
  };
  const storage = use?.storage ?? "f32";
  if (keeping === null) return { model: await loadModel(source, signal, told, storage), origin: null };
  const { loadKept } = await import("./kept-model.ts"); // with the storage and its hashes
  return loadKept({ source, storage, keeping, signal, onProgress: told });
}

/** Measures only where there is something to choose between. */
async function chooseEngine(
  options: LoadOptions & { readonly cpu: "kernels" | "wasm" },
  prepare: (engine: Engine) => Promise<PreparedWorkload>,
): Promise<{ readonly engine: Engine; readonly reason: string }> {
  const { choice, cpu, machine, openEngine, now, onProgress } = options;
  const candidate = (kind: "wasm" | "webgpu", software: boolean): Candidate => ({
    kind,
    software,
    open: () => openEngine(kind === "wasm" ? cpu : kind),
  });
  const { gpu } = machine;
  const candidates = [candidate("wasm", false), candidate("webgpu", gpu?.software ?? false)];
  const why = reasonForWasm(machine);
  if (choice === "auto" && why !== null) return { engine: await openEngine(cpu), reason: why };
  const progress = createProgress("calibrate", "tries", now);
  return calibrate(candidates, prepare, {
    choice,
    tries: CALIBRATION_TRIES,
    clock: now,
    onTry: (done, total) => {
      onProgress(progress(done, total));
    },
  });
}

/** Why WASM needs no measurement here; null where a real GPU is to be compared with it. */
function reasonForWasm({ gpu }: MachineReport): string | null {
  if (gpu === null) return "WASM: this browser offers no GPU adapter";
  return gpu.software ? `WASM: the only GPU adapter is software (${gpu.description})` : null;
}

function calibrationWork(policy: Policy, codec: TextCodec): PreparedWorkload {
  const stream = createRng(1, "calibration");
  const adapter = policy.initialAdapter(() => stream.next());
  const prompt = codec.encodePrompt([{ role: "user", content: "Please answer this message." }]);
  const run = async (): Promise<void> => {
    const [group] = await policy.rollout({
      prompts: [prompt],
      groupSize: CALIBRATION_GROUP,
      maxTokens: CALIBRATION_TOKENS,
      temperature: 1,
      topK: 0,
      topP: 1,
      uniform: () => stream.next(),
      adapter,
    });
    await trialUpdate(policy, { prompt, group: group ?? [], adapter, tokens: CALIBRATION_TOKENS });
  };
  // the chosen engine keeps its compiled policy; the other engine takes its own along
  return { run, dispose: () => Promise.resolve() };
}

/** A hub's model is what its commit says, wherever its branch leads later. */
function identityAt(identity: ModelInfo["identity"], origin: ModelOrigin | null): ModelInfo["identity"] {
  return identity && origin?.commit != null ? { ...identity, revision: origin.commit } : identity;
}

interface Setting {
  readonly origin: ModelOrigin | null;
  readonly engine: Engine;
  readonly reason: string;
  readonly adapterSize: number;
  readonly machine: MachineReport;
  readonly identity: ModelInfo["identity"];
}

/** What computes and on how many threads, with the reason, in words. */
function threadsReason(info: Engine["info"], machine: MachineReport): string {
  if (info.kind === "webgpu") return "the processor only prepares its work";
  const threads = threadsOf(info, machine);
  if (info.kind !== "kernels") return threads;
  return `on the playground's own kernels, the fastest way for weights like these; ${threads}`;
}

function threadsOf(
  { kind, threads }: Engine["info"],
  { cores, crossOriginIsolated, threads: offered }: MachineReport,
): string {
  if (!crossOriginIsolated) return ONE_THREAD;
  if (threads === 1 && offered > 1) return "on one thread only: this browser started no other";
  if (kind === "kernels" && threads === MOST_THREADS)
    return `on ${threads} threads, the most they have work for`;
  return `on ${threads} of the ${cores} cores this browser tells of: more than half slow each other down`;
}

function modelInfo(
  model: LoadedModel,
  { engine, reason, adapterSize, machine, identity, origin }: Setting,
): ModelInfo {
  const sizes = [...model.weights.values()].map((weight) => sizeOf(weight.dims));
  return {
    name: model.name,
    identity,
    origin,
    architecture: model.config.architecture,
    parameters: sizes.reduce((sum, size) => sum + size, 0),
    sizeBytes: model.sizeBytes,
    adapterParameters: adapterSize,
    engine: engine.info.kind === "webgpu" ? "webgpu" : "wasm",
    runsOn: engine.info.kind === "cpu" ? "wasm" : engine.info.kind,
    threads: engine.info.threads,
    adapter: engine.info.adapter,
    reason: `${reason}; ${threadsReason(engine.info, machine)}`,
    available: machine.gpu === null ? ["wasm"] : ["wasm", "webgpu"],
  };
}
