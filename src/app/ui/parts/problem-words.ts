/** What a schema finds wrong with typed values, in words for a person: which field, and what it needs. */
import type { z } from "zod";
import type { Text } from "../text/en.ts";

type Issue = z.core.$ZodIssue;

/** Each problem once, as `Field: what it needs`; `label` says a field's name, "" for the whole. */
export function sayIssues(
  issues: readonly Issue[],
  label: (field: string) => string,
  text: Text["problems"],
): string[] {
  const said = issues.map((issue) => {
    const name = label(String(issue.path[0] ?? ""));
    const need = sayNeed(issue, text);
    if (name === "") return need.charAt(0).toUpperCase() + need.slice(1);
    return `${name}: ${need}`;
  });
  return [...new Set(said)];
}

function sayNeed(issue: Issue, text: Text["problems"]): string {
  if (issue.code === "too_small") return tooSmall(issue, text);
  if (issue.code === "too_big") {
    const most = String(issue.maximum);
    return issue.inclusive === false ? text.lessThan(most) : text.atMost(most);
  }
  if (issue.code === "invalid_type" && issue.expected === "int") return text.whole;
  if (issue.code === "invalid_type" && issue.expected === "number") return text.number;
  if (issue.code === "invalid_value") return text.choose;
  return issue.code === "custom" ? issue.message : text.other;
}

function tooSmall(issue: Extract<Issue, { code: "too_small" }>, text: Text["problems"]): string {
  if (issue.origin === "string") return text.empty;
  if (issue.origin === "array") return text.oneLine;
  const least = String(issue.minimum);
  return issue.inclusive === false ? text.moreThan(least) : text.atLeast(least);
}
