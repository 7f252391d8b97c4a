/** From the value and threshold of a promptfoo assertion to the arguments of the check that does the same. */
import { parse } from "yaml";
import type { CheckSpec } from "../schema.ts";
import { isRecord } from "./format.ts";

type Args = CheckSpec["args"];

interface Given {
  readonly value: unknown;
  readonly threshold: number | undefined;
}

/** Types that a program decides. A value that makes no sense goes through as it is: the check's schema says what is wrong with it. */
const READERS: Readonly<Record<string, (given: Given) => Args>> = {
  equals: ({ value }) =>
    typeof value === "object" ? { value: JSON.stringify(value), as: "JSON" } : { value: asText(value) },
  contains: ({ value }) => ({ value: asText(value) }),
  icontains: ({ value }) => ({ value: asText(value) }),
  "contains-any": listed,
  "contains-all": listed,
  "icontains-any": listed,
  "icontains-all": listed,
  "starts-with": ({ value }) => ({ value }),
  regex: ({ value }) => ({ value }),
  "is-json": schemaOf,
  "contains-json": schemaOf,
  "word-count": ({ value }) => {
    if (isRecord(value)) return value;
    const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    return { min: count, max: count };
  },
  levenshtein: ({ value, threshold }) => ({ value, ...least(threshold) }),
  "rouge-n": ({ value, threshold }) => ({
    value: typeof value === "string" ? [value] : value,
    ...least(threshold),
  }),
  bleu: ({ value, threshold }) => ({
    value: typeof value === "string" ? [value] : value,
    ...least(threshold),
  }),
  similar: ({ value, threshold }) => ({
    value: typeof value === "string" ? [value] : value,
    ...least(threshold),
    by: "all-MiniLM-L6-v2",
  }),
  javascript: ({ value, threshold }) => ({ value, ...least(threshold) }),
};

/** The check's arguments; null for a type that has no check. */
export function promptfooArgs(type: string, given: Given): Args | null {
  return Object.hasOwn(READERS, type) ? (READERS[type]?.(given) ?? null) : null;
}

const least = (threshold: number | undefined): Args => (threshold === undefined ? {} : { threshold });
const asText = (value: unknown): unknown => (typeof value === "number" ? String(value) : value);

function listed({ value }: Given): Args {
  if (typeof value === "string") return { value: commaSeparated(value) };
  return { value: Array.isArray(value) ? value.map(asText) : value };
}

/** Parts between commas; one in quotes may hold commas, and quotes doubled or after a backslash. */
function commaSeparated(text: string): string[] {
  const parts = text.matchAll(/\s*"((?:\\["\\]|""|[^"])*)"\s*(?=,|$)|([^,]+)/g);
  return [...parts].flatMap(([, quoted, plain]) => {
    const part =
      quoted?.replace(/\\(["\\])|""/g, (_, escaped: string | undefined) => escaped ?? '"') ?? plain?.trim();
    return part === undefined || (quoted === undefined && part === "") ? [] : [part];
  });
}

/** A schema as an object, or as JSON or YAML in a text. */
function schemaOf({ value }: Given): Args {
  if (value === undefined || value === null || value === "") return {};
  if (typeof value !== "string") return { schema: value };
  try {
    return { schema: parse(value) as unknown };
  } catch {
    return { schema: value };
  }
}

/** The assertion that does what the check does, for promptfoo to run; null where it has none. */
export function promptfooAssertion({ type, args, negate }: CheckSpec): Args | null {
  const name = type.replace(/^promptfoo:/, "");
  const several = name === "rouge-n" && Array.isArray(args["value"]) && args["value"].length > 1;
  if (name === type || several || args["graded"] === true || JSON.stringify(args).includes("{{")) return null;
  const { value = args["schema"], threshold } = args;
  const asked: Args = {
    type: negate ? `not-${name}` : name,
    ...(value === undefined ? {} : { value: valueFor(name, args, value) }),
    ...(threshold === undefined ? {} : { threshold }),
  };
  return name === "word-count" ? { ...asked, value: args } : asked;
}

function valueFor(name: string, { as }: Args, value: unknown): unknown {
  if (name === "equals" && as === "JSON" && typeof value === "string") return JSON.parse(value) as unknown;
  // there one text, here the nearest of several
  return name === "rouge-n" && Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
}
