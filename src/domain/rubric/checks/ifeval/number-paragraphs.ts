/** IFEval: passes when the answer has exactly that many paragraphs, divided by ***. */
import { z } from "zod";
import { instruction, SPACE, strip, mode } from "./instruction.ts";

const DIVIDER = new RegExp(String.raw`[${SPACE}]?\*\*\*[${SPACE}]?`, "u");

export const numberParagraphs = instruction({
  title: "paragraphs divided by ***",
  help: "Passes when the answer has exactly that many paragraphs, divided by ***.",
  args: z.strictObject({ num_paragraphs: z.int().positive().describe("How many"), mode }),
  find: (text, { num_paragraphs: asked }) => {
    const parts = text.split(DIVIDER).map(strip);
    const inner = parts.slice(1, -1).includes("");
    const count = parts.filter((part, i) => part !== "" || (i > 0 && i < parts.length - 1)).length;
    const said = inner ? "a paragraph is empty" : `${count} paragraphs, asked: ${asked}`;
    return { follows: !inner && count === asked, said };
  },
});
