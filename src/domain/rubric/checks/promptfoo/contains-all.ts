/** promptfoo `contains-all`. */
import { containsTexts } from "./texts.ts";

export const containsAllTexts = containsTexts(
  "contains all texts of",
  "Passes when the answer holds every one of the texts, letter by letter.",
  { anyCase: false, all: true },
);
