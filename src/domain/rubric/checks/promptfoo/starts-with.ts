/** promptfoo `starts-with`. */
import { z } from "zod";
import { failed, passed } from "../answer-text.ts";
import { defineCheck } from "../check.ts";
import { pieceAt, valueSchema } from "./texts.ts";

export const startsWith = defineCheck({
  title: "starts with a text",
  help: "Passes when the answer begins with the text, letter by letter, white space included.",
  args: z.strictObject({ value: valueSchema }),
  judge: ({ text }, { value }) =>
    text.startsWith(value)
      ? passed(`starts with "${value}"`, [pieceAt(text, 0, value.length)])
      : failed(`does not start with "${value}"`),
});
