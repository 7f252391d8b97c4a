/** What a schema found wrong, in words that name the place, what was expected and what came. */
import type { z } from "zod";
import { PlaygroundError, type ErrorCode } from "../../base/errors.ts";

/** One thing wrong with a value from outside. */
export interface Problem {
  /** Such as `criteria[2].weight`; empty for the value as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

/** More are counted, not listed. */
const MOST_LISTED = 20;

/** The problems of a failed parse of `input`. */
export function problemsOf(error: z.ZodError, input: unknown): Problem[] {
  return error.issues.map((issue) => ({
    path: pathText(issue.path),
    expected: expectedText(issue),
    got: gotText(issue, valueAt(input, issue.path)),
  }));
}

export interface ProblemReport {
  readonly code: ErrorCode;
  /** File or thing that was read. */
  readonly source: string;
  readonly problems: readonly Problem[];
  readonly next: string;
}

/** One error for all problems: the first as its fault, up to 19 more listed after it. */
export function problemsError({ code, source, problems, next }: ProblemReport): PlaygroundError {
  const [first, ...others] = problems;
  const listed = others.slice(0, MOST_LISTED - 1).map((problem) => sayProblem(problem));
  const uncounted = others.length - listed.length;
  const more = uncounted > 0 ? [...listed, `and ${uncounted} more`] : listed;
  return new PlaygroundError({
    code,
    where: first === undefined || first.path === "" ? source : `${source}, ${first.path}`,
    expected: first?.expected ?? "a valid value",
    got: first?.got ?? "an invalid one",
    next: more.length === 0 ? next : `${next} Further problems: ${more.join("; ")}.`,
  });
}

/** `text` as JSON. @throws PlaygroundError with the parser's own words when it is none. */
export function parseJson(text: string, code: ErrorCode, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const got = cause instanceof Error ? cause.message : String(cause);
    const next = "Check the text for a missing comma, quote or bracket.";
    throw new PlaygroundError({ code, where: source, expected: "JSON", got, next }, { cause });
  }
}

function sayProblem({ path, expected, got }: Problem): string {
  return `${path === "" ? "the whole" : path}: expected ${expected}, got ${got}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  );
}

function expectedText(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return issue.expected;
  if (issue.code === "too_small") {
    return `${sizeOf(issue.origin)}${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
  }
  if (issue.code === "too_big") {
    return `${sizeOf(issue.origin)}${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}`;
  }
  if (issue.code === "invalid_value") {
    return `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  }
  return issue.code === "unrecognized_keys" ? "known fields only" : issue.message;
}

function sizeOf(origin: string): string {
  if (origin === "string") return "a length of ";
  return origin === "array" ? "a number of entries of " : "";
}

function gotText(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === "unrecognized_keys") return `unknown ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
  if (value === undefined) return "nothing";
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  const text = typeof value === "object" && value !== null ? "an object" : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
