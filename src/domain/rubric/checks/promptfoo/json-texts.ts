/** What `is-json` and `contains-json` share: a JSON Schema, checked in the sandbox because it may hold patterns. */
import { z } from "zod";
import { askSandbox, missingFor, reasonOf } from "../ask-sandbox.ts";
import type { CheckedJudgement, CheckTools } from "../check.ts";

export const jsonArgs = z.strictObject({
  schema: z
    .union([z.record(z.string(), z.unknown()), z.boolean()])
    .optional()
    .describe("JSON Schema that it must fit, as JSON; left out: any"),
});
export type JsonArgs = z.output<typeof jsonArgs>;

/** A JSON value in an answer. */
export interface JsonPlace {
  readonly text: string;
  readonly span: readonly [number, number];
}

/** [G] 1 where one of an answer's values is there and fits the schema. */
export async function judgeJson(
  found: readonly (readonly JsonPlace[])[],
  { schema }: JsonArgs,
  tools: CheckTools,
  none: string,
): Promise<readonly CheckedJudgement[]> {
  const fits = await fitsOf(found.flat(), schema, tools);
  let at = 0;
  return found.map((places) => {
    const own = fits.slice(at, (at += places.length));
    const first = own.findIndex((each) => each.verdict === 1);
    if (first !== -1) {
      const span = places[first]?.span;
      const reason = schema === undefined ? "JSON" : "JSON that fits the schema";
      return { verdict: 1, reason, spans: span === undefined ? [] : [span], failed: false };
    }
    const missing = own.find((each) => each.verdict === null);
    if (missing !== undefined) return missing;
    return { verdict: 0, reason: own.at(-1)?.reason ?? none, spans: [], failed: false };
  });
}

async function fitsOf(
  places: readonly JsonPlace[],
  schema: JsonArgs["schema"],
  tools: CheckTools,
): Promise<readonly CheckedJudgement[]> {
  const said = (verdict: 0 | 1, reason: string): CheckedJudgement => ({
    verdict,
    reason,
    spans: [],
    failed: false,
  });
  if (schema === undefined) return places.map(() => said(1, "JSON"));
  const results = await askSandbox(
    tools,
    { kind: "schema", schema },
    places.map(({ text }) => text),
  );
  return results.map((result) =>
    result.kind === "value"
      ? said(result.value === 1 ? 1 : 0, `does not fit the schema: ${result.said}`)
      : missingFor(reasonOf(result, "the schema")),
  );
}
