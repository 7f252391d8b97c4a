/**
 * One whole GRPO step from given completions against PyTorch, PEFT and TRL on three tiny models: advantages, reference
 * log-probabilities, loss, gradient, clipping and AdamW, twice over. In float64 by the interpreter, to 1e-9; in float32
 * by each engine through the trainer's own code.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { computeAdvantages } from "../../domain/grpo/advantages.ts";
import { interpret } from "../../engine/graph/interpreter.ts";
import { adamwGraph } from "../../engine/nn/adamw.ts";
import { loraLayout } from "../../engine/nn/lora.ts";
import { grpoGraph, scoreGraph } from "../../engine/nn/update-graphs.ts";
import { relativeError, expectStepInFloat32 } from "../../testing/grpo-step.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { parseStepFixture, STEP_MODELS, type StepFixture } from "../../testing/step-fixtures.ts";
import { createModelPolicy } from "./create.ts";
import { packUpdate } from "./pack-update.ts";

const FOLDER = fileURLToPath(new URL("../../testing/fixtures/steps/", import.meta.url));
const readStep = (name: string): StepFixture =>
  parseStepFixture(readFileSync(`${FOLDER}${name}.json`, "utf8"));

/** A value of each token of each completion. */
type PerToken = (p: number, g: number, t: number) => number;

/** The fixture's step as graphs that run in float64. */
function stepInFloat64({ config, weights, lora, grpo, groups }: StepFixture) {
  const layout = loraLayout(config, lora);
  const model = { config, lora: layout, maxPositions: 32, temperature: grpo.temperature };
  const packed = packUpdate(
    groups.map(({ prompt, completions }) => ({
      prompt: Int32Array.from(prompt),
      completions: completions.map(({ tokens }) => Int32Array.from(tokens)),
    })),
    { promptSlots: 4, completionSlots: 1, completionRows: 4 },
  );
  const dataOf = (
    tensors: Iterable<readonly [string, { readonly data: ArrayLike<number> | BigInt64Array }]>,
  ) => Object.fromEntries([...tensors].map(([name, tensor]) => [name, tensor.data]));
  const fixed = { ...dataOf(weights), ...dataOf(Object.entries(packed.feeds)) };
  const { prompts, group, completionRows } = packed.shape;
  const perToken = (value: PerToken): Float64Array => {
    const data = new Float64Array(prompts * group + completionRows);
    packed.unpack(new Float32Array(data.length)).forEach((rows, p) => {
      rows.forEach((row, g) => {
        row.forEach((_, t) => (data[packed.tokenIndex(p, g, t)] = value(p, g, t)));
      });
    });
    return data;
  };
  const tokens = groups.flatMap((each) => each.completions).reduce((sum, row) => sum + row.tokens.length, 0);
  const { adam_beta1, adam_beta2 } = grpo;
  type Outputs = ReturnType<typeof interpret>;
  const dataOut = (out: Outputs, name: string): Float64Array => defined(out[name], name).data;
  const logProbsOf = (out: Outputs): PerToken => {
    return (p, g, t) => dataOut(out, "logProbs")[packed.tokenIndex(p, g, t)] ?? NaN;
  };
  return {
    size: layout.size,
    base: (): PerToken =>
      logProbsOf(
        interpret(scoreGraph(model, packed.shape), { ...fixed, lora: new Float64Array(layout.size) }),
      ),
    pass: (
      adapter: Float64Array,
      of: Readonly<Record<"advantages" | "oldLogProbs" | "refLogProbs", PerToken>>,
    ) => {
      const settings = {
        epsilonLow: grpo.epsilon,
        epsilonHigh: grpo.epsilon_high ?? grpo.epsilon,
        delta: null,
        beta: grpo.beta,
        biasCorrection: grpo.use_bias_correction_kl,
        sequences: null,
      };
      const out = interpret(grpoGraph(model, packed.shape, settings), {
        ...fixed,
        lora: adapter,
        advantages: perToken(of.advantages),
        oldLogProbs: perToken(of.oldLogProbs),
        refLogProbs: perToken(of.refLogProbs),
        weights: perToken(() => 1 / tokens),
      });
      const loss = dataOut(out, "loss")[0] ?? NaN;
      return { loss, gradient: dataOut(out, "gradient"), logProbs: logProbsOf(out) };
    },
    optimize: (step: number, state: Readonly<Record<"p" | "g" | "m" | "v", Float64Array>>) => {
      const graph = adamwGraph(layout.size, {
        beta1: adam_beta1,
        beta2: adam_beta2,
        epsilon: grpo.adam_epsilon,
        weightDecay: grpo.weight_decay,
        maxGradNorm: grpo.max_grad_norm,
      });
      const rates = Float64Array.of(grpo.learning_rate, 1 - adam_beta1 ** step, 1 - adam_beta2 ** step);
      const out = interpret(graph, { ...state, step: rates });
      const data = (name: string): Float64Array => dataOut(out, name);
      return { p: data("p2"), m: data("m2"), v: data("v2"), norm: data("norm")[0] ?? NaN };
    },
  };
}

describe.each(STEP_MODELS)("a GRPO step of %s", (name) => {
  const fixture = readStep(name);
  const { groups, grpo, passes } = fixture;

  it("has TRL's advantages", () => {
    const ours = computeAdvantages(
      groups.map((group) => group.rewards),
      grpo,
    );
    const theirs = groups.flatMap((group) => group.advantages);
    expect(
      relativeError(
        ours.flatMap((group) => group.advantages),
        theirs,
      ),
    ).toBeLessThan(1e-12);
  });

  it("is PyTorch's to 1e-9 in float64", () => {
    const step = stepInFloat64(fixture);
    const reference = step.base();
    const given = (field: "oldLogProbs" | "refLogProbs"): PerToken => {
      return (p, g, t) => groups[p]?.completions[g]?.[field][t] ?? NaN;
    };
    const each = (value: PerToken): number[] =>
      groups.flatMap((group, p) =>
        group.completions.flatMap((row, g) => row.tokens.map((_, t) => value(p, g, t))),
      );
    expect(relativeError(each(reference), each(given("refLogProbs")))).toBeLessThan(1e-9);
    const advantages: PerToken = (p, g) => groups[p]?.advantages[g] ?? NaN;
    let state: Readonly<Record<"p" | "m" | "v", Float64Array>> = {
      p: Float64Array.from(fixture.adapter),
      m: new Float64Array(step.size),
      v: new Float64Array(step.size),
    };
    let oldLogProbs = given("oldLogProbs");
    passes.forEach((expected, i) => {
      const pass = step.pass(state.p, { advantages, oldLogProbs, refLogProbs: reference });
      const { loss, gradient, logProbs } = pass;
      expect(relativeError(each(logProbs), expected.logProbs.flat(2))).toBeLessThan(1e-9);
      expect(Math.abs(loss / expected.loss - 1)).toBeLessThan(1e-9);
      expect(relativeError(gradient, expected.gradient)).toBeLessThan(1e-9);
      const { norm, ...next } = step.optimize(i + 1, { ...state, g: gradient });
      expect(norm).toBeGreaterThan(grpo.max_grad_norm); // clipping is at work
      expect(Math.abs(norm / expected.gradNorm - 1)).toBeLessThan(1e-9);
      expect(relativeError(next.p, expected.adapter)).toBeLessThan(1e-9);
      state = next;
      if (i === 0) oldLogProbs = logProbs;
    });
  });

  it.each(NODE_ENGINES)("is PyTorch's in float32, through the trainer's update on %s", async (_, open) => {
    const engine = await open();
    const model = { config: fixture.config, weights: fixture.weights, endTokenIds: [1] };
    const policy = createModelPolicy({ engine, model, lora: fixture.lora, maxPositions: 32 });
    await expectStepInFloat32(policy, fixture);
    await engine.dispose();
  });
});
