/** promptfoo `icontains`. */
import { containsText } from "./texts.ts";

export const icontains = containsText(
  "contains a text, any case",
  "Passes when the answer holds the text, in capitals or not.",
  true,
);
