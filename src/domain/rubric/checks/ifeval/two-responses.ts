/** IFEval: passes when the answer is two different responses divided by ******. */
import { z } from "zod";
import { instruction, strip, mode } from "./instruction.ts";

export const twoResponses = instruction({
  title: "two different responses",
  help: "Passes when the answer is two different responses divided by ******.",
  args: z.strictObject({ mode }),
  find: (text) => {
    const parts = text.split("******").map(strip);
    const inner = parts.slice(1, -1).includes("");
    const [one, two, ...more] = parts.filter((part) => part !== "");
    const follows = !inner && two !== undefined && more.length === 0 && one !== two;
    return {
      follows,
      said: follows ? "two different responses" : "not two different responses divided by ******",
    };
  },
});
