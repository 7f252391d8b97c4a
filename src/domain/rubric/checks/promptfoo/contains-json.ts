/**
 * promptfoo `contains-json`: an object stands somewhere in the answer, and fits a schema where one is given. As there, objects are
 * read as YAML reads them between braces (trailing commas and keys without quotes pass), and one that is cut off is closed.
 */
import { defined } from "../../../../base/assert.ts";
import { defineAskingCheck } from "../check.ts";
import { jsonArgs, judgeJson, type JsonPlace } from "./json-texts.ts";

/** Objects longer than this are not looked for. */
const LONGEST_OBJECT = 100_000;

let parseYaml: ((text: string) => unknown) | null = null;

async function loadParser(): Promise<void> {
  const { parse } = await import("yaml");
  parseYaml ??= (text) => parse(text, { logLevel: "error", uniqueKeys: false }) as unknown;
}

export const containsJson = defineAskingCheck({
  title: "contains a JSON object",
  help: "Passes when an object in braces stands in the answer and fits the schema, where there is one.",
  args: jsonArgs,
  load: loadParser,
  ask: (answers, args, _prompt, tools) =>
    judgeJson(
      answers.map(({ text }) => objectsIn(text)),
      args,
      tools,
      "no JSON object in the answer",
    ),
});

function objectsIn(text: string): JsonPlace[] {
  const places: JsonPlace[] = [];
  for (let start = text.indexOf("{"); start !== -1;) {
    const end = endOf(text, start);
    const object = objectOf(text.slice(start, end.at) + "}".repeat(end.open));
    if (object !== null) places.push({ text: JSON.stringify(object), span: [start, end.at] });
    start = text.indexOf("{", object === null ? start + 1 : end.at);
  }
  return places;
}

/** Where as many braces have closed as opened, or where the text ends with some of them open. */
function endOf(text: string, start: number): { readonly at: number; readonly open: number } {
  const last = Math.min(text.length, start + LONGEST_OBJECT);
  let open = 0;
  for (let at = start; at < last; at++) {
    if (text[at] === "{") open += 1;
    if (text[at] === "}") open -= 1;
    if (open === 0) return { at: at + 1, open };
  }
  return { at: last, open };
}

function objectOf(text: string): object | null {
  if (/^\{\s*[{[]/.test(text)) return null; // YAML's keys may be objects, JSON's may not
  try {
    const value = defined(parseYaml ?? undefined, "contains-json, parser loaded before it judges")(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
