import { describe, expect, it } from "vitest";
import { grpoConfigSchema } from "./config.ts";
import { withPreset } from "./presets.ts";

describe("presets", () => {
  const config = grpoConfigSchema.parse({
    max_completion_length: 64,
    learning_rate: 1e-3,
    num_generations: 8,
  });

  it("as in the paper sets what the paper states and keeps the rest", () => {
    expect(withPreset(config, "paper")).toMatchObject({
      num_generations: 16,
      temperature: 1,
      beta: 0.1,
      epsilon: 0.2,
      max_grad_norm: 0.5,
      max_completion_length: 64,
      learning_rate: 1e-3,
    });
  });

  it("are valid settings, and the demo's own are the defaults", () => {
    expect(grpoConfigSchema.safeParse(withPreset(config, "paper")).success).toBe(true);
    expect(withPreset(config, "demo")).toEqual(grpoConfigSchema.parse({}));
  });
});
