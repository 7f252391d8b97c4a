/** IFEval: passes when the whole answer is JSON, also within a ``` fence. */
import { z } from "zod";
import { instruction, strip, mode } from "./instruction.ts";

/** Each mark goes once, in this order, as in the reference. */
function unfenced(text: string): string {
  let rest = text;
  for (const mark of ["```json", "```Json", "```JSON", "```"])
    if (rest.startsWith(mark)) rest = rest.slice(mark.length);
  return rest.endsWith("```") ? rest.slice(0, -3) : rest;
}

/** Python's json.loads also takes NaN and the two infinities where a value may stand. */
function isPythonJson(text: string): boolean {
  const plain = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gsu, (each) =>
    each.startsWith('"') ? each : "0",
  );
  try {
    JSON.parse(plain);
    return true;
  } catch {
    return false;
  }
}

export const jsonFormat = instruction({
  title: "is JSON as a whole",
  help: "Passes when the whole answer is JSON, also within a ``` fence.",
  args: z.strictObject({ mode }),
  find: (text) => {
    const follows = isPythonJson(strip(unfenced(strip(text))));
    return { follows, said: follows ? "the answer is JSON" : "the answer is not JSON" };
  },
});
