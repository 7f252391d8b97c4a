/** The planner's arithmetic on true shapes: what grows with what, what is picked, what is proposed. */
import { describe, expect, it } from "vitest";
import { grpoConfigSchema } from "../domain/grpo/config.ts";
import { type ModelConfig, parameterCount } from "../engine/nn/model-config.ts";
import { forecastStepMs, packedRows, planRun, type PlanRequest } from "./planner.ts";
import { weightBytes } from "./run-memory.ts";

/** Qwen/Qwen3-0.6B. */
const QWEN3: ModelConfig = {
  architecture: "qwen3",
  hiddenSize: 1024,
  layers: 28,
  heads: 16,
  kvHeads: 8,
  headDim: 128,
  mlpSize: 3072,
  vocabSize: 151_936,
  ropeTheta: 1e6,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
  maxPositions: 40_960,
};

const request = (change: Partial<PlanRequest> = {}, grpo: object = {}): PlanRequest => ({
  config: QWEN3,
  storage: "q8",
  offered: ["f32", "q8", "q4"],
  engine: "wasm",
  grpo: grpoConfigSchema.parse(grpo),
  arms: 2,
  promptTokens: 64,
  maxBindingBytes: null,
  ...change,
});

const part = (plan: ReturnType<typeof planRun>, name: string): number =>
  plan.parts.find((known) => known.name === name)?.cpuBytes ?? NaN;

describe("memory", () => {
  it("counts the weights of Qwen3-0.6B: 4 bytes a value, or blocks of 32 with a float scale", () => {
    expect(parameterCount(QWEN3)).toBe(596_049_920);
    expect(weightBytes(QWEN3, "f32")).toBe(4 * 596_049_920);
    const vectors = 28 * (2 * 1024 + 2 * 128) + 1024;
    const matrices = 596_049_920 - vectors;
    expect(weightBytes(QWEN3, "q8")).toBe(matrices * (36 / 32) + 4 * vectors);
    expect(weightBytes(QWEN3, "q4")).toBe(matrices * (20 / 32) + 4 * vectors);
  });

  it("keeps keys and values of every row and of the prompt's own", () => {
    const plan = planRun(request({}, { num_generations: 8, max_completion_length: 36 }));
    const once = 2 * 4 * 28 * 8 * 128 * (64 + 36) * 9;
    expect(part(plan, "kv-cache")).toBe(3 * once); // a Loop has it coming in and going out, and hands it over
  });

  it("puts the parts on the chip that computes, and says how much is where", () => {
    const plan = planRun(request({ engine: "webgpu", maxBindingBytes: 2 ** 27 }));
    expect(plan.gpuBytes).toBe(plan.parts.reduce((sum, { gpuBytes }) => sum + gpuBytes, 0));
    expect(plan.parts.find(({ name }) => name === "weights")).toMatchObject({
      gpuBytes: weightBytes(QWEN3, "q8"),
      cpuBytes: weightBytes(QWEN3, "q8"), // kept to merge adapters, and for policies of another rank
    });
    const floats = planRun(request({ engine: "webgpu", storage: "f32", maxBindingBytes: 2 ** 27 }));
    expect(floats.chunkRows).toBe(8192); // 32 MiB of 1,024 floats a row
    expect(plan.chunkRows).toBe(2048); // in blocks: a chunk is float32 while it is multiplied
  });

  it("does not cut small tables", () => {
    const small = { ...QWEN3, vocabSize: 2000 };
    expect(
      planRun(request({ config: small, engine: "webgpu", maxBindingBytes: 2 ** 30 })).chunkRows,
    ).toBeNull();
  });
});

describe("what is picked", () => {
  it("cuts passes until no tensor is larger than the GPU binds, and says so where none is small enough", () => {
    const grpo = { num_generations: 16, max_completion_length: 256, micro_batch_size: 16 };
    const size = { config: { ...QWEN3, layers: 2 }, engine: "webgpu", storage: "q8" } as const;
    const large = planRun(request({ ...size, maxBindingBytes: 2 ** 30 }, grpo));
    expect(large).toMatchObject({ microBatch: 16, fits: true });
    const small = planRun(request({ ...size, maxBindingBytes: 2 ** 25 }, grpo));
    expect(small.fits).toBe(true);
    expect(small.microBatch).toBeLessThan(16);
    expect(planRun(request({ ...size, maxBindingBytes: 2 ** 20 }, grpo))).toMatchObject({
      microBatch: 1,
      fits: false,
      limit: "binding",
    });
  });

  it("takes the layered update and the asked micro-batch where they fit", () => {
    expect(planRun(request({}, { num_generations: 8 }))).toMatchObject({
      update: "layered",
      microBatch: 8,
      fits: true,
      limit: null,
    });
  });

  it("halves the micro-batch until the run fits", () => {
    const grpo = { num_generations: 64, max_completion_length: 512, micro_batch_size: 64 };
    const small = { ...QWEN3, layers: 2 };
    const plan = planRun(request({ config: small }, grpo));
    expect(plan.fits).toBe(true);
    expect([8, 16, 32]).toContain(plan.microBatch);
  });

  it("says that float weights of this size do not fit WASM, and that fewer bits save most", () => {
    const plan = planRun(request({ storage: "f32" }));
    expect(plan).toMatchObject({ fits: false, limit: "wasm-heap", microBatch: 1 });
    expect(plan.changes[0]).toMatchObject({ setting: "storage", to: "q8" });
    expect(plan.changes[0]?.savesBytes).toBeGreaterThan(3e9);
    const onlyFloat = planRun(request({ storage: "f32", offered: ["f32"] }));
    expect(onlyFloat.changes.map(({ setting }) => setting)).not.toContain("storage"); // nobody could follow it
  });

  it("proposes what saves as much as it says when it is followed", () => {
    const config = { ...QWEN3, layers: 1, vocabSize: 20_000 };
    const asked = request({ storage: "f32", config }, { num_generations: 16, max_completion_length: 256 });
    const plan = planRun(asked);
    expect(plan.changes.map(({ setting }) => setting).sort()).toEqual(
      ["max_completion_length", "micro_batch_size", "num_generations", "r", "storage"].sort(),
    );
    for (const { setting, to, savesBytes } of plan.changes) {
      const { grpo } = asked;
      const lora = { ...grpo.lora, r: Number(to) };
      const followed =
        setting === "storage"
          ? { ...asked, storage: to as PlanRequest["storage"] }
          : { ...asked, grpo: { ...grpo, ...(setting === "r" ? { lora } : { [setting]: Number(to) }) } };
      expect(plan.cpuBytes - planRun(followed).cpuBytes, setting).toBe(savesBytes);
      expect(savesBytes).toBeGreaterThan(0);
    }
  });

  it("proposes nothing that saves nothing", () => {
    for (const { savesBytes } of planRun(request()).changes) expect(savesBytes).toBeGreaterThan(0);
  });
});

describe("a step's time", () => {
  const speed = { decodeTokenMs: 2, decodeRowMs: 1, updateRowMs: 0.5 };

  it("adds a group's tokens and the packed rows of its passes, for every arm", () => {
    const size = request({}, { num_generations: 8, max_completion_length: 20 });
    const rows = packedRows(64, 8, 20);
    expect(rows).toBe(256 + 64); // 8 * 19 + 1 rounded up to 128s, 64 to 16s
    expect(forecastStepMs(size, speed, 8)).toBe(2 * (20 * (2 + 8) + rows * 0.5));
  });

  it("grows with passes over the same answers, and a third for a reference", () => {
    const twice = request({}, { num_generations: 8, max_completion_length: 20, num_iterations: 2 });
    const once = request({}, { num_generations: 8, max_completion_length: 20 });
    const beta = request({}, { num_generations: 8, max_completion_length: 20, beta: 0.1 });
    const update = 2 * 320 * 0.5;
    expect(forecastStepMs(twice, speed, 8) - forecastStepMs(once, speed, 8)).toBeCloseTo(update);
    expect(forecastStepMs(beta, speed, 8) - forecastStepMs(once, speed, 8)).toBeCloseTo(update / 3);
  });
});
