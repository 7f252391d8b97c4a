/** IFEval: passes when the answer has that many paragraphs, divided by an empty line, and the nth begins with the word. */
import { z } from "zod";
import { instruction, SPACE, strip, mode } from "./instruction.ts";

const GAP = new RegExp(`[${SPACE}]+`, "u");

export const nthParagraphFirstWord = instruction({
  title: "a paragraph begins with a word",
  help: "Passes when the answer has that many paragraphs, divided by an empty line, and the nth begins with the word.",
  args: z.strictObject({
    num_paragraphs: z.int().positive().describe("How many paragraphs"),
    nth_paragraph: z.int().positive().describe("Which of them"),
    first_word: z.string().min(1).describe("Its first word"),
    mode,
  }),
  find: (text, { num_paragraphs: asked, nth_paragraph: nth, first_word: word }) => {
    const parts = text.split("\n\n").map(strip);
    const count = parts.filter((part) => part !== "").length;
    const part = nth <= count ? (parts[nth - 1] ?? "") : "";
    const start = (part.split(GAP)[0] ?? "").replace(/^'+/, "").replace(/^"+/, "");
    const first = (/^[^.,?!'"]*/u.exec(start)?.[0] ?? "").toLowerCase();
    const said = `${count} paragraphs, number ${nth} begins with "${first}"`;
    return { follows: part !== "" && count === asked && first === word.toLowerCase(), said };
  },
});
