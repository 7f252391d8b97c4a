/** IFEval: passes when the answer has exactly that many lines that begin with * or -. */
import { z } from "zod";
import { instruction, matches, SPACE, mode } from "./instruction.ts";

const STARS = new RegExp(String.raw`(?<![^\n])[${SPACE}]*\*[^*][^\n]*(?![^\n])`, "gu");
const DASHES = new RegExp(String.raw`(?<![^\n])[${SPACE}]*-[^\n]*`, "gu");

export const numberBulletLists = instruction({
  title: "number of bullet points",
  help: "Passes when the answer has exactly that many lines that begin with * or -.",
  args: z.strictObject({ num_bullets: z.int().positive().describe("How many"), mode }),
  find: (text, { num_bullets: asked }) => {
    const pieces = [...matches(text, STARS), ...matches(text, DASHES)];
    return {
      follows: pieces.length === asked,
      said: `${pieces.length} bullet points, asked: ${asked}`,
      pieces,
    };
  },
});
