/** Everything that can be off is said, and nothing else. */
import { expect, test } from "vitest";
import { type BundledFindings, faultsOf, type Findings, type ModelFindings } from "./verdict.ts";

const memory = { count: 10, bytes: 1000, peakBytes: 2000 };
const run = {
  steps: 60,
  engine: "webgpu on a GPU",
  medianStepSeconds: 1,
  arms: [{ arm: "pow3r", start: 0.5, end: 0.6 }],
};
const BUNDLED: BundledFindings = {
  placement: { graphs: 1, nodes: 1, elsewhere: [] },
  engines: {
    ...{ logits: 1e-6, stepLogits: 1e-6, layerGradient: 1e-6 },
    ...{ logProbs: 1e-6, gradient: 1e-6, loss: 1e-6 },
  },
  sampler: [{ temperature: 1, topK: 0, topP: 1, draws: 100, chiSquare: 40, limit: 83, outside: 0 }],
  speed: { rolloutTokensPerSecond: 1, updateTokensPerSecond: 1 },
  tensorsLeft: 0,
  run,
  memory: { early: memory, late: memory },
};
/** Its lift is not judged: random weights learn nothing. */
const MODEL: ModelFindings = {
  name: "qwen3-0.6b",
  model: { parameters: 1, heldBytes: 1, loadSeconds: 1 },
  step: { logits: 5e-4, stepLogits: 5e-4, layerGradient: 1e-6 },
  group: { logProbs: 1e-6, gradient: 1e-6, loss: 1e-6 },
  speed: null,
  tensorsLeft: 0,
  processes: null,
  run: { ...run, arms: [{ arm: "pow3r", start: 0.5, end: 0.4 }] },
  memory: { early: memory, late: memory },
};
const GOOD: Findings = {
  software: false,
  adapter: {
    description: "a GPU",
    software: false,
    maxBufferBytes: 1,
    maxBindingBytes: 1,
    float16: true,
  },
  limits: {},
  bundled: BUNDLED,
  models: [MODEL],
  seconds: 1,
};
const [honest] = BUNDLED.sampler;

test("finds nothing where all is well", () => {
  expect(faultsOf(GOOD)).toEqual([]);
});

test.each<[string, Partial<BundledFindings>]>([
  ["A node runs beside the GPU: score", { placement: { ...BUNDLED.placement, elsewhere: ["score: CPU 1"] } }],
  ["WebGPU's gradient", { engines: { ...BUNDLED.engines, gradient: 0.01 } }],
  ["WebGPU's logits", { engines: { ...BUNDLED.engines, logits: NaN } }],
  ["WebGPU's stepLogits", { engines: { ...BUNDLED.engines, stepLogits: 5e-4 } }],
  ["chi-square is 90", { sampler: honest ? [{ ...honest, chiSquare: 90 }] : [] }],
  ["drew 3 tokens", { sampler: honest ? [{ ...honest, outside: 3 }] : [] }],
  ["outlived", { tensorsLeft: 2 }],
  ["a lift below", { run: { ...run, arms: [{ arm: "pow3r", start: 0.5, end: 0.5 }] } }],
  ["no held-out score", { run: { ...run, arms: [{ arm: "pow3r", start: 0.5, end: null }] } }],
  ["not on WebGPU", { run: { ...run, engine: "wasm" } }],
  ["memory grew", { memory: { early: memory, late: { ...memory, bytes: 1100 } } }],
])("says: %s", (words, change) => {
  const faults = faultsOf({ ...GOOD, bundled: { ...BUNDLED, ...change } });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(words);
});

test.each<[string, Partial<ModelFindings>]>([
  ["WebGPU's layerGradient", { step: { ...MODEL.step, layerGradient: 0.01 } }],
  ["WebGPU's stepLogits", { step: { ...MODEL.step, stepLogits: 0.002 } }],
  ["WebGPU's gradient", { group: { logProbs: 0, gradient: NaN, loss: 0 } }],
  ["outlived", { tensorsLeft: 1 }],
  ["not on WebGPU", { run: { ...MODEL.run, engine: "kernels" } }],
  ["memory grew", { memory: { early: memory, late: { ...memory, bytes: 1100 } } }],
])("says of a model: %s", (words, change) => {
  const faults = faultsOf({ ...GOOD, bundled: null, models: [{ ...MODEL, ...change }] });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/^qwen3-0\.6b: /);
  expect(faults[0]).toContain(words);
});

test("leaves out the group of a model that was compared by a step alone", () => {
  expect(faultsOf({ ...GOOD, models: [{ ...MODEL, group: null }] })).toEqual([]);
});

test("does not judge the lift of the reduced form", () => {
  const down = { ...run, arms: [{ arm: "pow3r", start: 0.5, end: 0.4 }] };
  expect(faultsOf({ ...GOOD, bundled: { ...BUNDLED, run: down }, software: true })).toEqual([]);
});
