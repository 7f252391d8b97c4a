/** promptfoo `icontains-all`. */
import { containsTexts } from "./texts.ts";

export const icontainsAll = containsTexts(
  "contains all texts of, any case",
  "Passes when the answer holds every one of the texts, in capitals or not.",
  { anyCase: true, all: true },
);
