import { describe, expect, it } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { parseRunSpec } from "./parse-run-spec.ts";

const prompt = (id: string) => ({ id, messages: [{ role: "user", content: "Hello" }] });
const spec = {
  scenarioId: "s",
  arms: [{ id: "a", rule: "pow3r" }],
  rubric: { title: "t", criteria: [{ id: "a", text: "x", category: "c", weight: 1 }] },
  trainPrompts: [prompt("t1")],
  heldOutPrompts: [prompt("h1")],
  grpo: {},
};

function faultOf(input: unknown): PlaygroundError {
  try {
    parseRunSpec(input);
  } catch (error) {
    if (error instanceof PlaygroundError) return error;
    throw error;
  }
  throw new Error("the specification was taken");
}

describe("a run specification", () => {
  it("is filled with the defaults of methods.md", () => {
    const parsed = parseRunSpec(spec);
    expect(parsed.grpo).toMatchObject({
      loss_type: "dapo",
      scale_rewards: "group",
      max_completion_length: 72,
      learning_rate: 2e-3,
      max_grad_norm: 1,
      adam_beta1: 0.9,
      adam_beta2: 0.95,
      beta: 0,
      max_steps: 60,
      zero_spread_tolerance: 1e-6,
    });
    expect(parsed.arms[0]?.pow3r).toEqual({
      lambda: 0.5,
      alpha_min: 0.5,
      alpha_max: 2,
      beta_ema: 0.5,
      epsilon: 1e-4,
      alpha_update: "epoch",
      alpha_interval: 1,
      alpha_scope: "scenario",
      min_valid_share: 0.75,
    });
    expect(parseRunSpec(JSON.stringify(spec))).toEqual(parsed);
    expect(parseRunSpec(parsed)).toEqual(parsed);
  });

  it.each([
    ["an unknown rule", { arms: [{ id: "a", rule: "magic" }] }, 'arms[0].rule: expected one of "pow3r"'],
    [
      "two arms of one id",
      { arms: [...spec.arms, ...spec.arms] },
      'arms: expected ids that differ, got "a" twice',
    ],
    ["a held-out prompt that trains", { heldOutPrompts: [prompt("t1")] }, 'got "t1" twice'],
    ["more prompts a step than there are", { grpo: { prompts_per_step: 2 } }, "training prompts, 1, got 2"],
    ["warm-up beyond the end", { grpo: { warmup_steps: 61 } }, "at most max_steps, 60, got 61"],
    [
      "a seed that repeats another",
      { seed: 2 ** 32 + 1 },
      "seed: expected at most 4294967295, got 4294967297",
    ],
    [
      "samples without end",
      { evaluationSamples: 300_000 },
      "evaluationSamples: expected at most 4096, got 300000",
    ],
    [
      "no temperature to speak of",
      { grpo: { temperature: 1e-30 } },
      "grpo.temperature: expected at least 0.01, got 1e-30",
    ],
    ["a KL weight that overflows", { grpo: { beta: 1e300 } }, "grpo.beta: expected at most 100, got 1e+300"],
    [
      "an adapter scale that overflows",
      { grpo: { lora: { lora_alpha: 1e38 } } },
      "grpo.lora.lora_alpha: expected at most 4096, got 1e+38",
    ],
    [
      "a misspelt setting",
      { grpo: { learningrate: 1 } },
      'grpo: expected known fields only, got unknown "learningrate"',
    ],
  ])("with %s is refused", (_, change, message) => {
    const fault = faultOf({ ...spec, ...change });
    expect(fault.code).toBe("config-invalid");
    expect(fault.message).toContain(message);
  });

  it("with only the rubric at fault says so by its code", () => {
    const rubric = { title: "t", criteria: [{ id: "a", text: "x", category: "c", weight: 0 }] };
    expect(faultOf({ ...spec, rubric }).code).toBe("rubric-invalid");
    expect(faultOf({ ...spec, rubric, seed: -1 }).code).toBe("config-invalid");
  });
});
