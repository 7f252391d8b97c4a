/** promptfoo `icontains-any`. */
import { containsTexts } from "./texts.ts";

export const icontainsAny = containsTexts(
  "contains any text of, any case",
  "Passes when the answer holds at least one of the texts, in capitals or not.",
  { anyCase: true, all: false },
);
