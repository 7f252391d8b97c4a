/** What is wrong with a model's config, as errors, and zod's first complaint as one of them. */
import type { z } from "zod";
import { PlaygroundError } from "../../base/errors.ts";

const SUPPORTED =
  "Supported: Qwen3, Qwen2 and Llama causal language models with SwiGLU, full attention, and RoPE plain or scaled by linear, llama3 or yarn, not quantised.";

/** The value as the schema has it. @throws PlaygroundError `model-broken` with the field's path. */
export function parseField<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join(".") ?? "";
  throw brokenConfig(
    field === "" ? where : `${where}: ${field}`,
    "a valid field",
    issue?.message ?? "something else",
  );
}

/** `model-unsupported`, with what is supported. */
export function unsupportedConfig(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({ code: "model-unsupported", where, expected, got, next: SUPPORTED });
}

/** `model-broken`: the config contradicts itself or lacks a field. */
export function brokenConfig(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "model-broken",
    where,
    expected,
    got,
    next: "Mend the file, or save the model anew with transformers.",
  });
}
