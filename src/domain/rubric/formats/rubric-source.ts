/**
 * A rubric as text that a person edits, and back: JSON or YAML by the schema of public/rubric.schema.json. What is wrong
 * stands with its place in the text, all of it at once; a text with any of it is no rubric.
 */
import { isMap, isNode, parseDocument, stringify, type Document } from "yaml";
import type { z } from "zod";
import { checkMisfits } from "../check-misfits.ts";
import { rubricSchema, type Criterion, type Rubric } from "../schema.ts";
import { problemsOf } from "../schema-problems.ts";
import { jsonFault } from "./json-fault.ts";

export const SOURCE_FORMS = ["json", "yaml"] as const;
export type SourceForm = (typeof SOURCE_FORMS)[number];

/** One thing wrong, at the characters [from, to) of the text; `to` is on the line of `from`. */
export interface SourceProblem {
  readonly from: number;
  readonly to: number;
  readonly expected: string;
  readonly got: string;
}

export type SourceReading =
  | { readonly rubric: Rubric; readonly problems: readonly [] }
  | { readonly rubric: null; readonly problems: readonly SourceProblem[] };

/** The rubric's text, without the fields that stand at their defaults. */
export function writeSource(rubric: Rubric, form: SourceForm): string {
  const plain = { title: rubric.title, criteria: rubric.criteria.map(withoutDefaults) };
  return form === "yaml" ? stringify(plain, { lineWidth: 100 }) : `${JSON.stringify(plain, null, 2)}\n`;
}

/** The rubric in a text, or what is wrong with it. */
export function readSource(text: string, form: SourceForm): SourceReading {
  const document = parseDocument(text, { prettyErrors: false });
  const broken = syntaxProblems(text, form, document);
  if (broken.length > 0) return { rubric: null, problems: broken };
  const value = valueOf(document);
  const parsed = rubricSchema.safeParse(value);
  const problems = parsed.success
    ? checkMisfits(parsed.data, "").map((problem) => ({ ...problem, keys: keysOf(problem.path) }))
    : problemsOf(parsed.error, value).map((problem, i) => ({
        ...problem,
        keys: placeOf(parsed.error.issues[i]),
      }));
  if (parsed.success && problems.length === 0) return { rubric: parsed.data, problems: [] };
  return {
    rubric: null,
    problems: problems.map(({ keys, expected, got }) => ({
      ...rangeOf(text, document, keys),
      expected,
      got,
    })),
  };
}

function withoutDefaults({ check, required, veto, ...others }: Criterion): object {
  return {
    ...others,
    ...(required ? { required } : {}),
    ...(veto ? { veto } : {}),
    ...(check === null
      ? {}
      : {
          check: {
            type: check.type,
            ...(Object.keys(check.args).length > 0 ? { args: check.args } : {}),
            ...(check.negate ? { negate: true } : {}),
          },
        }),
  };
}

type Key = string | number;

/** Aliases that stand for aliases and so on can stand for more than there is room for. */
function valueOf(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch {
    return undefined;
  }
}

function syntaxProblems(text: string, form: SourceForm, document: Document.Parsed): SourceProblem[] {
  if (form === "json") {
    // YAML takes all of JSON and more
    const fault = jsonFault(text);
    if (fault === null) return [];
    const range = onLine(text, Math.min(fault.at, text.trimEnd().length), null);
    const got = text.slice(range.from, range.from + 20).split("\n", 1)[0] ?? "";
    return [{ ...range, expected: fault.expected, got: got === "" ? "the end" : got }];
  }
  return document.errors.map(({ pos, message }) => ({
    ...onLine(text, pos[0], pos[1]),
    expected: "YAML",
    got: message,
  }));
}

/** Where an issue is: a field that should not be there is its own place. */
function placeOf(issue: z.core.$ZodIssue | undefined): Key[] {
  const path = (issue?.path ?? []).map((key) => (typeof key === "number" ? key : String(key)));
  return issue?.code === "unrecognized_keys" ? [...path, ...issue.keys.slice(0, 1)] : path;
}

/** `criteria[2].check.args` as keys. */
function keysOf(path: string): Key[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? "") : Number(index),
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The key and value at a path; where the text holds none of it, what it should stand in. */
function rangeOf(text: string, document: Document.Parsed, keys: readonly Key[]): Range {
  for (let depth = keys.length; depth > 0; depth--) {
    const node = document.getIn(keys.slice(0, depth), true);
    const range = isNode(node) ? node.range : null;
    const start = keyStart(document, keys.slice(0, depth)) ?? range?.[0];
    if (start !== undefined) return onLine(text, start, range?.[1] ?? null);
  }
  return onLine(text, document.contents?.range[0] ?? 0, null);
}

/** Where the field's name stands. */
function keyStart(document: Document.Parsed, keys: readonly Key[]): number | undefined {
  const parent = document.getIn(keys.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find((item) => plainKey(item.key) === keys.at(-1)) : undefined;
  return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
}

function plainKey(key: unknown): unknown {
  return isNode(key) && "value" in key ? key.value : key;
}

/** A range that ends with its line, and holds at least one character where the line has one. */
function onLine(text: string, from: number, to: number | null): Range {
  const lineEnd = text.indexOf("\n", from);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const least = Math.min(from + 1, end);
  return { from: Math.min(from, end), to: Math.max(least, Math.min(to ?? end, end)) };
}
