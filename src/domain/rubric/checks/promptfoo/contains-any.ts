/** promptfoo `contains-any`. */
import { containsTexts } from "./texts.ts";

export const containsAnyText = containsTexts(
  "contains any text of",
  "Passes when the answer holds at least one of the texts, letter by letter.",
  { anyCase: false, all: false },
);
