/**
 * Our side of the benches in a browser's worker: the shipped page's own engine, policy and trainer, called from outside
 * through `bench`. Arguments and results are plain JSON.
 */
import { createRng, type Rng } from "../../src/base/rng.ts";
import { loraConfigSchema } from "../../src/domain/grpo/config.ts";
import { checks } from "../../src/domain/rubric/checks/registry.ts";
import { parseRunSpec } from "../../src/domain/run/parse-run-spec.ts";
import { scenarios } from "../../src/domain/scenarios/registry.ts";
import type { Engine } from "../../src/engine/runtime/engine.ts";
import { openKernelEngine } from "../../src/engine/kernels/kernels-browser.ts";
import { openBrowserEngine } from "../../src/engine/runtime/ort-browser.ts";
import { createTextCodec } from "../../src/engine/text/tokenizer.ts";
import { loadModel } from "../../src/engine/weights/load-model.ts";
import { createGgufUrlSource, createUrlSource } from "../../src/engine/weights/url-source.ts";
import { STORAGE_BITS, type WeightStorage } from "../../src/engine/weights/stored-weight.ts";
import { BUNDLED_MODEL } from "../../src/app/worker/bundled-model.ts";
import { moveWeights } from "../../src/app/worker/move-weights.ts";
import { withTurns } from "../../src/app/worker/turns.ts";
import { chooseCpuEngine } from "../../src/training/model-policy/plan-choice.ts";
import type { TrainingDeps } from "../../src/training/deps.ts";
import { createModelPolicy, type PolicyModel } from "../../src/training/model-policy/create.ts";
import type { OptimizerState, Policy, TextCodec, TrainingGroup } from "../../src/training/policy.ts";
import { createRunRecord } from "../../src/training/run-record.ts";
import { Trainer } from "../../src/training/trainer.ts";
import { type ModelSize, randomModel } from "./random-model.ts";

/** Never sampled, so that every completion has its full length: the same work in every run and on both sides. */
const NO_END = [-1];
const MAX_POSITIONS = 1024;
const LORA = loraConfigSchema.parse({});
const OPTIMIZER = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
} as const;

export interface OpenRequest {
  readonly kind: "wasm" | "webgpu";
  readonly threads: number;
  /** null = the bundled model, or the one of `gguf`. */
  readonly random: ModelSize | null;
  /** A GGUF file by its path on the page's server, and how its matrices are held. */
  readonly gguf?: { readonly path: string; readonly storage: WeightStorage };
}

export interface RolloutAsk {
  readonly prompt: readonly number[];
  readonly groupSize: number;
  readonly maxTokens: number;
  /** 0 = greedy. */
  readonly temperature: number;
  /** False = the base model alone. */
  readonly adapter: boolean;
}

export interface UpdateAsk {
  readonly prompts: number;
  readonly group: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The numbers both sides compute their gradient from, so that a peer can be checked against ours. */
export interface UpdateNumbers {
  readonly adapter: readonly number[];
  readonly groups: readonly {
    readonly prompt: readonly number[];
    readonly completions: readonly {
      readonly tokens: readonly number[];
      readonly advantage: number;
      readonly oldLogProbs: readonly number[];
    }[];
  }[];
}

export interface Memory {
  readonly wasmBytes: number;
  readonly gpuBytes: number;
}

export interface EngineBench {
  open(request: OpenRequest): Promise<{ threads: number }>;
  /** A prompt of exactly so many tokens, cut out of the scenario's first message; with the words it was made of. */
  prompt(tokens: number): Promise<{ ids: number[]; content: string }>;
  rollout(ask: RolloutAsk): Promise<{ seconds: number; tokens: number[][] }>;
  /** Log-probability of each token of completions of one prompt, by the base model. */
  logProbs(ask: {
    readonly prompt: readonly number[];
    readonly completions: readonly (readonly number[])[];
  }): Promise<number[][]>;
  prepareUpdate(ask: UpdateAsk): Promise<UpdateNumbers>;
  /** Gradient and AdamW on what was prepared. */
  update(ask: null): Promise<{ seconds: number; gradNorm: number; loss: number }>;
  prepareSteps(ask: { readonly content: string; readonly completionTokens: number }): Promise<null>;
  /** Whole GRPO steps: rollouts, rewards, update. */
  steps(count: number): Promise<{ seconds: number }>;
  /** Lets go of the recorded metrics, as a fresh run would; the adapter and its optimizer go on. */
  forgetRows(ask: null): Promise<null>;
  memory(ask: null): Promise<Memory>;
  /** Ends the engine and the worker. */
  close(ask: null): Promise<null>;
}

interface Opened {
  readonly engine: Engine;
  readonly policy: Policy;
  readonly codec: TextCodec | null;
  readonly vocabSize: number;
  readonly rng: Rng;
}

interface Prepared {
  readonly groups: readonly TrainingGroup[];
  adapter: Float32Array;
  state: OptimizerState;
}

const memories: WebAssembly.Memory[] = [];
const gpuBuffers = new Set<GPUBuffer>();
rememberMemories();
rememberGpuBuffers();
let opened: Opened | null = null;
let prepared: Prepared | null = null;
let trainer: Trainer | null = null;

/** Every WebAssembly memory made in this worker is noted, so that its size can be read. */
function rememberMemories(): void {
  const Original = WebAssembly.Memory;
  WebAssembly.Memory = class extends Original {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      memories.push(this);
    }
  };
}

/** Every GPU buffer made in this worker, onnxruntime's own among them, until it is destroyed. */
function rememberGpuBuffers(): void {
  if (typeof GPUDevice === "undefined") return;
  const { createBuffer } = GPUDevice.prototype as {
    createBuffer: (this: GPUDevice, descriptor: GPUBufferDescriptor) => GPUBuffer;
  };
  const { destroy } = GPUBuffer.prototype as { destroy: (this: GPUBuffer) => void };
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = createBuffer.call(this, descriptor);
    gpuBuffers.add(buffer);
    return buffer;
  };
  GPUBuffer.prototype.destroy = function () {
    gpuBuffers.delete(this);
    destroy.call(this);
  };
}

function need<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`${what} first`);
  return value;
}

function trainingDeps(): TrainingDeps {
  const { policy, codec } = need(opened, "open");
  return { policy, codec: need(codec, "open the bundled model"), checks, now: () => performance.now() };
}

const seconds = (since: number): number => (performance.now() - since) / 1000;

const bench: EngineBench = {
  async open({ kind, threads, random, gguf }) {
    const rng = createRng(1, "bench");
    const { model, codec } = random
      ? { model: randomModel(random), codec: null }
      : await (gguf ? ggufModel(gguf) : bundledModel());
    const bits = gguf ? STORAGE_BITS[gguf.storage] : null;
    const kernels = kind === "wasm" && chooseCpuEngine(model.config, bits) === "kernels"; // as the page chooses
    const engine = withTurns(
      await (kernels ? openKernelEngine({ threads }) : openBrowserEngine(kind, { threads })),
      () => performance.now(),
    );
    if (gguf) moveWeights(engine, model.weights);
    const policy = createModelPolicy({
      engine,
      model: { ...model, endTokenIds: NO_END },
      lora: LORA,
      maxPositions: kind === "webgpu" ? 96 : MAX_POSITIONS,
    });
    opened = { engine, policy, codec, vocabSize: model.config.vocabSize, rng };
    return { threads: engine.info.threads };
  },
  prompt: (tokens) =>
    Promise.resolve(promptOf(need(need(opened, "open").codec, "open the bundled model"), tokens)),
  async rollout({ prompt, groupSize, maxTokens, temperature, adapter: withAdapter }) {
    const { policy, rng } = need(opened, "open");
    const adapter = withAdapter ? adapterOf(policy) : null;
    const start = performance.now();
    const [group] = await policy.rollout({
      prompts: [Int32Array.from(prompt)],
      groupSize,
      maxTokens,
      temperature,
      topK: 0,
      topP: 1,
      uniform: () => rng.next(),
      adapter,
    });
    return { seconds: seconds(start), tokens: (group ?? []).map((completion) => [...completion.tokens]) };
  },
  async logProbs({ prompt, completions }) {
    const { policy } = need(opened, "open");
    const group = {
      prompt: Int32Array.from(prompt),
      completions: completions.map((tokens) => Int32Array.from(tokens)),
    };
    const [rows = []] = await policy.logProbs([group], null, 1);
    return rows.map((row) => [...row]);
  },
  async prepareUpdate(ask) {
    const { policy } = need(opened, "open");
    const adapter = adapterOf(policy);
    const groups = await randomGroups(need(opened, "open"), ask, adapter);
    const n = adapter.length;
    prepared = { groups, adapter, state: { m: new Float32Array(n), v: new Float32Array(n), step: 0 } };
    return {
      adapter: [...adapter],
      groups: groups.map(({ prompt, completions }) => ({
        prompt: [...prompt],
        completions: completions.map(({ tokens, advantage, oldLogProbs }) => ({
          tokens: [...tokens],
          advantage,
          oldLogProbs: [...oldLogProbs],
        })),
      })),
    };
  },
  async update() {
    const { policy } = need(opened, "open");
    const now = need(prepared, "prepareUpdate");
    const start = performance.now();
    const { gradient, loss } = await policy.gradient(now.groups, now.adapter, lossOf(now.groups));
    const { adapter, state, gradNorm } = await policy.optimize(now.adapter, gradient, now.state, OPTIMIZER);
    now.adapter = adapter;
    now.state = state;
    return { seconds: seconds(start), gradNorm, loss };
  },
  prepareSteps({ content, completionTokens }) {
    const deps = trainingDeps();
    trainer = new Trainer(deps, createRunRecord("bench", stepSpec(content, completionTokens), deps.policy));
    return Promise.resolve(null);
  },
  async steps(count) {
    const running = need(trainer, "prepareSteps");
    const start = performance.now();
    for (let i = 0; i < count; i++) await running.step();
    return { seconds: seconds(start) };
  },
  forgetRows() {
    trainer = new Trainer(trainingDeps(), { ...need(trainer, "prepareSteps").record, rows: [] });
    return Promise.resolve(null);
  },
  memory() {
    const wasmBytes = memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
    const gpuBytes = [...gpuBuffers].reduce((sum, buffer) => sum + buffer.size, 0);
    return Promise.resolve({ wasmBytes, gpuBytes });
  },
  async close() {
    await need(opened, "open").engine.dispose();
    setTimeout(() => {
      self.close();
    }, 100); // after the answer
    return null;
  },
};

type Loaded = Promise<{ readonly model: PolicyModel; readonly codec: TextCodec }>;

async function bundledModel(): Loaded {
  const model = await loadModel(
    createUrlSource(BUNDLED_MODEL, `${location.origin}/models/${BUNDLED_MODEL}/`),
  );
  return { model, codec: await createTextCodec(model.tokenizerFiles, model.endTokenIds) };
}

async function ggufModel({ path, storage }: NonNullable<OpenRequest["gguf"]>): Loaded {
  const source = createGgufUrlSource(path, `${location.origin}/${path}`);
  const model = await loadModel(source, undefined, undefined, storage);
  return { model, codec: await createTextCodec(model.tokenizerFiles, model.endTokenIds) };
}

/** A fresh adapter with both halves filled, so that no product is with zeros. */
function adapterOf(policy: Policy): Float32Array {
  const rng = createRng(2, "bench-adapter");
  return Float32Array.from({ length: policy.adapterSize }, () => 0.02 * rng.normal());
}

/** Words of the scenario's messages, then single letters, until the chat's ids have exactly this length. */
function promptOf(codec: TextCodec, tokens: number): { ids: number[]; content: string } {
  const texts = scenarios["customer-reply"].trainPrompts.map(
    (prompt) => prompt.messages.at(-1)?.content ?? "",
  );
  const encode = (content: string): Int32Array => codec.encodePrompt([{ role: "user", content }]);
  const words = texts.join(" ").split(" ");
  let content = "";
  for (const word of words) {
    const longer = content === "" ? word : `${content} ${word}`;
    if (encode(longer).length > tokens) break;
    content = longer;
  }
  while (encode(content).length < tokens) content += " a";
  const ids = [...encode(content)];
  if (ids.length !== tokens) throw new Error(`no prompt of ${tokens} tokens: ${ids.length}`);
  return { ids, content };
}

async function randomGroups(
  { policy, vocabSize, rng }: Opened,
  ask: UpdateAsk,
  adapter: Float32Array,
): Promise<TrainingGroup[]> {
  const draw = (n: number): Int32Array =>
    Int32Array.from({ length: n }, () => 3 + Math.floor(rng.next() * (vocabSize - 3)));
  const groups = Array.from({ length: ask.prompts }, () => ({
    prompt: draw(ask.promptTokens),
    completions: Array.from({ length: ask.group }, () => draw(ask.completionTokens)),
  }));
  const logProbs = await policy.logProbs(groups, adapter, 1);
  return groups.map(({ prompt, completions }, p) => ({
    prompt,
    completions: completions.map((tokens, g) => ({
      tokens,
      advantage: rng.normal(),
      oldLogProbs: logProbs[p]?.[g] ?? new Float32Array(0),
      refLogProbs: null,
    })),
  }));
}

function lossOf(groups: readonly TrainingGroup[]) {
  const { grpo } = stepSpec("x", groups[0]?.completions[0]?.tokens.length ?? 1);
  return grpo;
}

/** One arm, one prompt, the settings of the step that TRL is asked for too. */
function stepSpec(content: string, completionTokens: number) {
  const scenario = scenarios["customer-reply"];
  const [first] = scenario.trainPrompts;
  const prompt = (id: string) => ({ id, messages: [{ role: "user", content }], fields: first?.fields ?? {} });
  return parseRunSpec({
    scenarioId: scenario.id,
    arms: [{ id: "static-scalar", rule: "static-scalar" }],
    rubric: scenario.setUps[0].rubric,
    trainPrompts: [prompt("train")],
    heldOutPrompts: [prompt("held-out")],
    grpo: {
      num_generations: 16,
      prompts_per_step: 1,
      max_completion_length: completionTokens,
      learning_rate: 1e-4,
      max_steps: 1_000_000,
    },
  });
}

(globalThis as unknown as { bench: EngineBench }).bench = bench;
