/** From any value to a valid run specification, or one error that names every problem. */
import { parseJson, problemsError, problemsOf, type Problem } from "../rubric/schema-problems.ts";
import type { LoraConfig } from "../grpo/config.ts";
import { keptRunSpecSchema, type RunSpec } from "./spec.ts";

/**
 * The specification in a JSON text or value, defaults filled in, its parts fitting each other.
 * @param source what is read, as a person knows it
 * @throws PlaygroundError `config-invalid`, or `rubric-invalid` where only the rubric is at fault
 */
export function parseRunSpec(input: unknown, source = "run settings"): RunSpec {
  const value = typeof input === "string" ? parseJson(input, "config-invalid", source) : input;
  const result = keptRunSpecSchema.safeParse(value);
  const problems = result.success ? misfits(result.data) : problemsOf(result.error, value);
  if (result.success && problems.length === 0) return result.data;
  throw problemsError({
    code: problems.every((problem) => problem.path.startsWith("rubric"))
      ? "rubric-invalid"
      : "config-invalid",
    source,
    problems,
    next: "Correct it and start the run again.",
  });
}

/** What the schema cannot see: parts that do not fit each other. */
function misfits(spec: RunSpec): Problem[] {
  const { grpo } = spec;
  const prompts = [...spec.trainPrompts, ...spec.heldOutPrompts];
  const problems = [...repeated(spec.arms, "arms"), ...repeated(prompts, "trainPrompts and heldOutPrompts")];
  if (grpo.prompts_per_step > spec.trainPrompts.length) {
    problems.push({
      path: "grpo.prompts_per_step",
      expected: `at most the number of training prompts, ${spec.trainPrompts.length}`,
      got: String(grpo.prompts_per_step),
    });
  }
  if (grpo.warmup_steps > grpo.max_steps) {
    problems.push({
      path: "grpo.warmup_steps",
      expected: `at most max_steps, ${grpo.max_steps}`,
      got: String(grpo.warmup_steps),
    });
  }
  if (spec.startAdapter !== undefined && !sameLora(spec.startAdapter.lora, grpo.lora)) {
    problems.push({
      path: "grpo.lora",
      expected: `the settings of the adapter it starts from, ${JSON.stringify(spec.startAdapter.lora)}`,
      got: JSON.stringify(grpo.lora),
    });
  }
  const steps = [1, ...spec.rubricEdits.map((edit) => edit.fromStep)];
  steps.forEach((step, i) => {
    const before = steps[i - 1] ?? 0;
    if (step > before) return;
    const path = `rubricEdits[${i - 1}].fromStep`;
    problems.push({ path, expected: `a step after ${before}`, got: String(step) });
  });
  return problems;
}

/** The order of modules says nothing. */
function sameLora(one: LoraConfig, other: LoraConfig): boolean {
  const sorted = (lora: LoraConfig): string =>
    JSON.stringify({ ...lora, target_modules: lora.target_modules.toSorted() });
  return sorted(one) === sorted(other);
}

function repeated(items: readonly { readonly id: string }[], path: string): Problem[] {
  const ids = items.map((item) => item.id);
  const twice = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  return [...twice].map((id) => ({ path, expected: "ids that differ", got: `"${id}" twice` }));
}
