/** What a sandbox's thread does with one text. Runs inside it, where there is neither network nor page. */
import { Validator } from "@cfworker/json-schema";
import type { SandboxResult, SandboxTask } from "../../domain/rubric/sandbox.ts";

/** More places than a person looks at. */
const MOST_SPANS = 20;

/** The language's Function, kept from before the thread lost it. */
export type MakeFunction = (...parts: string[]) => (...given: unknown[]) => unknown;

/** How a task is done on each of its texts. @throws what the pattern, schema or code is refused with */
export function performerOf(task: SandboxTask, make: MakeFunction): (text: string) => SandboxResult {
  switch (task.kind) {
    case "pattern": {
      const pattern = new RegExp(task.pattern, task.flags.includes("g") ? task.flags : `${task.flags}g`);
      return (text) => ({ kind: "matches", spans: spansOf(pattern, text) });
    }
    case "schema": {
      const validator = new Validator(task.schema as object, "7", false);
      return (text) => fits(validator, text);
    }
    case "expression": {
      const run = compiled(task.code, make);
      const { text: prompt, fields } = task.prompt;
      return (text) => valueOf(run(text, prompt, { prompt, vars: { ...fields } }));
    }
  }
}

function spansOf(pattern: RegExp, text: string): [number, number][] {
  const spans: [number, number][] = [];
  for (const match of text.matchAll(pattern)) {
    spans.push([match.index, match.index + match[0].length]);
    if (spans.length === MOST_SPANS) break;
  }
  return spans;
}

function fits(validator: Validator, text: string): SandboxResult {
  const { valid, errors } = validator.validate(JSON.parse(text) as unknown);
  const first = errors.at(-1);
  const said = first === undefined ? "" : `${first.instanceLocation}: ${first.error}`;
  return { kind: "value", value: valid ? 1 : 0, said: valid ? "fits the schema" : said };
}

/** An expression, or what cannot be one: the body of a function with its own return. */
function compiled(code: string, make: MakeFunction): ReturnType<MakeFunction> {
  // only `import` could still fetch: it is a word of the language, which nobody can take away
  if (/\bimport\b/.test(code)) throw new Error("the word import is not allowed");
  const trimmed = code.trim().replace(/;+$/, "");
  const given = ["output", "prompt", "context"];
  try {
    return make(...given, `"use strict"; return (\n${trimmed}\n);`);
  } catch (error) {
    if (!/\breturn\b/.test(trimmed)) throw error;
    return make(...given, `"use strict"; ${trimmed}`);
  }
}

const value = (of: number, said: string): SandboxResult => ({ kind: "value", value: of, said });

/** Yes, no, a number from 0 to 1, or promptfoo's { pass, score, reason }. */
function valueOf(result: unknown): SandboxResult {
  if (typeof result === "boolean") return value(result ? 1 : 0, String(result));
  if (typeof result === "number" && result >= 0 && result <= 1) return value(result, String(result));
  const graded = gradedOf(result);
  if (graded !== null) return graded;
  const got = typeof result === "number" ? String(result) : result === null ? "null" : typeof result;
  return { kind: "none", reason: `expected true, false or a number from 0 to 1, got ${got}` };
}

function gradedOf(result: unknown): SandboxResult | null {
  if (typeof result !== "object" || result === null) return null;
  const { pass, reason } = result as { readonly pass?: unknown; readonly reason?: unknown };
  if (typeof pass !== "boolean") return null;
  const said = typeof reason === "string" && reason !== "" ? reason.slice(0, 300) : String(pass);
  return value(pass ? 1 : 0, said);
}
