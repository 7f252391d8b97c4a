/**
 * OpenRubrics: an instruction with two answers and a rubric that is one text of numbered lines, each ending in `[Hard Rule]` or
 * `[Principle]`. All weigh 1; a hard rule is required [ours]. The two answers and their winner are not used.
 */
import { z } from "zod";
import { textSchema, type DraftCriterion } from "./draft.ts";
import { rowFormat } from "./format.ts";
import { below, type Problems } from "./problems.ts";

const rowSchema = z.looseObject({ instruction: textSchema, rubric: textSchema });
const NUMBERED = /^\s*\d+\s*[.):]\s*/;
const KIND = /\s*\[(Hard Rule|Principle)\]\s*\.?\s*$/i;

export const openRubrics = rowFormat({
  title: "OpenRubrics",
  marks: (row) =>
    "instruction" in row &&
    typeof row["rubric"] === "string" &&
    /\[(Hard Rule|Principle)\]|^\s*1[.)]/i.test(row["rubric"]),
  row: rowSchema,
  known: ["instruction", "response_a", "response_b", "winner", "rubric", "source"],
  draft: (row, where, problems) => ({
    where,
    messages: [{ role: "user", content: row.instruction }],
    criteria: itemsOf(row.rubric).flatMap((item, i) => {
      const drafted = draftOf(item, below(where, `rubric, item ${i + 1}`), problems);
      return drafted === null ? [] : [drafted];
    }),
  }),
});

/** A line without a number goes on with the one before. */
function itemsOf(rubric: string): string[] {
  const items: string[] = [];
  for (const line of rubric.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    if (NUMBERED.test(line) || items.length === 0) items.push(line.trim());
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return items;
}

function draftOf(item: string, where: string, problems: Problems): DraftCriterion | null {
  const kind = KIND.exec(item)?.[1];
  const text = item.replace(NUMBERED, "").replace(KIND, "").trim();
  if (kind === undefined || text === "") {
    problems.add(
      where,
      "a numbered line that ends in [Hard Rule] or [Principle]",
      JSON.stringify(item.slice(0, 60)),
    );
    return null;
  }
  const hard = /hard/i.test(kind);
  return { where, text, points: 1, category: hard ? "Hard Rule" : "Principle", required: hard };
}
