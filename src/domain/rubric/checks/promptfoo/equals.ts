/** promptfoo `equals`: the whole answer as text, or as JSON whatever its order of keys and its spaces. */
import { z } from "zod";
import { failed, passed } from "../answer-text.ts";
import { defineCheck } from "../check.ts";

export const equals = defineCheck({
  title: "is exactly",
  help: "Passes when the whole answer is the text, or as JSON means the same.",
  args: z
    .strictObject({
      value: z.string().describe("The whole answer"),
      as: z.enum(["text", "JSON"]).default("text").describe("Compared as text, or by what the JSON means"),
    })
    .refine(({ value, as }) => as === "text" || isJson(value), {
      path: ["value"],
      error: "a text that is JSON",
    }),
  judge: ({ text }, { value, as }) => {
    const same =
      as === "text" ? text === value : isJson(text) && meansSame(JSON.parse(value), JSON.parse(text));
    return same
      ? passed("exactly it")
      : failed(`is not ${value.length > 60 ? `${value.slice(0, 60)}…` : `"${value}"`}`);
  },
});

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Two values that JSON.parse made. */
function meansSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && meansSame(value, right.get(key)))
  );
}
