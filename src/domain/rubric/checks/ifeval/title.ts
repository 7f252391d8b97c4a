/** IFEval: passes when the answer has a title in <<double angular brackets>>. */
import { z } from "zod";
import { instruction, matches, strip, mode } from "./instruction.ts";

export const title = instruction({
  title: "has a <<title>>",
  help: "Passes when the answer has a title in <<double angular brackets>>.",
  args: z.strictObject({ mode }),
  find: (text) => {
    const pieces = matches(text, /<<[^\n]+>>/gu).filter(
      ({ text: each }) => strip(each.replace(/^<+/, "").replace(/>+$/, "")) !== "",
    );
    return { follows: pieces.length > 0, said: `${pieces.length === 0 ? "no" : "a"} title in <<>>`, pieces };
  },
});
