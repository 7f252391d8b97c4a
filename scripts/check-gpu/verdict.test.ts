/** Everything that can be off is said, and nothing else. */
import { expect, test } from "vitest";
import { faultsOf, type Findings } from "./verdict.ts";

const memory = { count: 10, bytes: 1000, peakBytes: 2000 };
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
  placement: { graphs: 1, nodes: 1, elsewhere: [] },
  engines: { logits: 1e-6, logProbs: 1e-6, gradient: 1e-6, loss: 1e-6 },
  sampler: [{ temperature: 1, topK: 0, topP: 1, draws: 100, chiSquare: 40, limit: 83, outside: 0 }],
  speed: { rolloutTokensPerSecond: 1, updateTokensPerSecond: 1 },
  tensorsLeft: 0,
  run: {
    steps: 60,
    engine: "webgpu on a GPU",
    medianStepSeconds: 1,
    arms: [{ arm: "pow3r", start: 0.5, end: 0.6 }],
  },
  memory: { early: memory, late: memory },
  seconds: 1,
};
const [honest] = GOOD.sampler;

test("finds nothing where all is well", () => {
  expect(faultsOf(GOOD)).toEqual([]);
});

test.each<[string, Partial<Findings>]>([
  ["A node runs beside the GPU: score", { placement: { ...GOOD.placement, elsewhere: ["score: CPU 1"] } }],
  ["WebGPU's gradient", { engines: { ...GOOD.engines, gradient: 0.01 } }],
  ["WebGPU's logits", { engines: { ...GOOD.engines, logits: NaN } }],
  ["chi-square is 90", { sampler: honest ? [{ ...honest, chiSquare: 90 }] : [] }],
  ["drew 3 tokens", { sampler: honest ? [{ ...honest, outside: 3 }] : [] }],
  ["outlived", { tensorsLeft: 2 }],
  ["a lift below", { run: { ...GOOD.run, arms: [{ arm: "pow3r", start: 0.5, end: 0.5 }] } }],
  ["no held-out score", { run: { ...GOOD.run, arms: [{ arm: "pow3r", start: 0.5, end: null }] } }],
  ["not on WebGPU", { run: { ...GOOD.run, engine: "wasm" } }],
  ["memory grew", { memory: { early: memory, late: { ...memory, bytes: 1100 } } }],
])("says: %s", (words, change) => {
  const faults = faultsOf({ ...GOOD, ...change });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(words);
});

test("does not judge the lift of the reduced form", () => {
  const run = { ...GOOD.run, arms: [{ arm: "pow3r", start: 0.5, end: 0.4 }] };
  expect(faultsOf({ ...GOOD, run, software: true })).toEqual([]);
});
