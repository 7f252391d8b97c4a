/**
 * The shared-prefix update in float64: its gradient against central differences, and against ordinary rows (every
 * completion with a prompt of its own). The last test shows that these comparisons can fail: cutting the path from
 * completions into the prompt changes the gradient.
 */
import { describe, expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import { packUpdate, type TokenGroup } from "../../training/model-policy/pack-update.ts";
import { interpret } from "../graph/interpreter.ts";
import { stopGradient } from "../graph/ops/elementwise.ts";
import { concat, slice } from "../graph/ops/shape.ts";
import { sharedPrefixAttention } from "./attention.ts";
import { LORA_MODULES, loraLayout } from "./lora.ts";
import { type ModelConfig, weightSpecs } from "./model-config.ts";
import { grpoGraph } from "./update-graphs.ts";
import { sizeOf } from "../graph/tensor.ts";

const CONFIG: ModelConfig = {
  architecture: "qwen3",
  hiddenSize: 8,
  layers: 2,
  heads: 2,
  kvHeads: 1,
  headDim: 4,
  mlpSize: 6,
  vocabSize: 7,
  ropeTheta: 100,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
  maxPositions: 16,
};
const LORA = loraLayout(CONFIG, { r: 2, lora_alpha: 4, target_modules: LORA_MODULES });
const MODEL = { config: CONFIG, lora: LORA, maxPositions: 16, temperature: 0.9 };
const SETTINGS = {
  epsilonLow: 0.2,
  epsilonHigh: 0.2,
  delta: null,
  beta: 0.1,
  biasCorrection: true,
  sequences: null,
};

const rng = createRng(3, "update-graphs");
const uniform = (size: number, scale: number): Float64Array =>
  Float64Array.from({ length: size }, () => scale * (2 * rng.next() - 1));
const weights = Object.fromEntries(
  weightSpecs(CONFIG).map(({ name, shape }) => [
    name,
    name.endsWith("norm.weight")
      ? uniform(sizeOf(shape), 0.2).map((x) => 1 + x)
      : uniform(sizeOf(shape), 0.6),
  ]),
);
const adapter = uniform(LORA.size, 0.5);
const ids = (...tokens: number[]): Int32Array => Int32Array.from(tokens);
const GROUPS: readonly TokenGroup[] = [
  { prompt: ids(1, 2, 3), completions: [ids(4, 5, 0), ids(6, 0)] },
  { prompt: ids(2, 6, 1, 1, 5), completions: [ids(0), ids(3, 3, 2, 4)] },
];
const advantage = (p: number, g: number): number => [0.7, -1.1, 1.3, -0.4][p * 2 + g] ?? NaN;
const oldLogProb = (p: number, g: number, t: number): number => -1.9 + 0.11 * p - 0.07 * g + 0.05 * t;
const TOKENS = 10;

interface Numbers {
  readonly loss: number;
  readonly gradient: Float64Array;
}

type Attention = Parameters<typeof grpoGraph>[3];

/** Loss and gradient of the groups; `pick` maps them onto the whole batch's (p, g), so that parts add up. */
function run(
  groups: readonly TokenGroup[],
  pick: (p: number, g: number) => readonly [number, number],
  options: { readonly lora?: Float64Array; readonly attention?: Attention } = {},
): Numbers {
  const packed = packUpdate(groups, { promptSlots: 2, completionSlots: 1, completionRows: 4 });
  const graph = grpoGraph(MODEL, packed.shape, SETTINGS, options.attention);
  const perToken = (value: (p: number, g: number, t: number) => number) =>
    packed.perToken((p, g, t) => value(...pick(p, g), t));
  const tensors = {
    ...packed.feeds,
    advantages: perToken(advantage),
    oldLogProbs: perToken(oldLogProb),
    refLogProbs: perToken((p, g, t) => oldLogProb(p, g, t) + 0.2),
    weights: perToken(() => 1 / TOKENS),
  };
  const feeds = Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, tensor.data]));
  const out = interpret(graph, { ...feeds, ...weights, lora: options.lora ?? adapter });
  return { loss: out["loss"]?.data[0] ?? NaN, gradient: out["gradient"]?.data ?? new Float64Array() };
}

const whole = run(GROUPS, (p, g) => [p, g]);
const norm = (x: Float64Array): number => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
const distance = (a: Float64Array, b: Float64Array): number =>
  norm(a.map((x, i) => x - (b[i] ?? NaN))) / norm(b);

describe("the GRPO update of a 2-layer Qwen3 in float64", () => {
  it("has the gradient that central differences give, along 12 directions", () => {
    expect(norm(whole.gradient)).toBeGreaterThan(0.1);
    for (let trial = 0; trial < 12; trial++) {
      const direction = uniform(LORA.size, 1);
      const h = 1e-5;
      const at = (sign: number): number =>
        run(GROUPS, (p, g) => [p, g], { lora: adapter.map((x, i) => x + sign * h * (direction[i] ?? 0)) })
          .loss;
      const numeric = (at(1) - at(-1)) / (2 * h);
      const exact = whole.gradient.reduce((sum, value, i) => sum + value * (direction[i] ?? 0), 0);
      expect(Math.abs(numeric - exact)).toBeLessThan(1e-8 * Math.max(1, Math.abs(exact)));
    }
  });

  it("equals ordinary rows, each completion with its own prompt", () => {
    let loss = 0;
    const gradient = new Float64Array(LORA.size);
    GROUPS.forEach(({ prompt, completions }, p) => {
      completions.forEach((tokens, g) => {
        const row = run([{ prompt, completions: [tokens] }], () => [p, g]);
        loss += row.loss;
        row.gradient.forEach((value, i) => (gradient[i] = (gradient[i] ?? 0) + value));
      });
    });
    expect(Math.abs(loss - whole.loss)).toBeLessThan(1e-12);
    expect(distance(whole.gradient, gradient)).toBeLessThan(1e-12);
  });

  it("differs when the path from completions into the prompt is cut", () => {
    const cutPrompt: Attention = (graph, config, shape, inputs) => {
      const attend = sharedPrefixAttention(graph, config, shape, inputs);
      const rows = shape.completionRows + shape.prompts * shape.promptSlots;
      return (q, k, v, layer) => {
        const cut = (x: typeof k): typeof k =>
          concat(
            [slice(x, 0, 0, shape.completionRows), stopGradient(slice(x, 0, shape.completionRows, rows))],
            0,
          );
        return attend(q, cut(k), cut(v), layer);
      };
    };
    const cut = run(GROUPS, (p, g) => [p, g], { attention: cutPrompt });
    expect(Math.abs(cut.loss - whole.loss)).toBeLessThan(1e-12);
    expect(distance(cut.gradient, whole.gradient)).toBeGreaterThan(0.05);
  });
});
