/** promptfoo `contains`. */
import { containsText } from "./texts.ts";

export const contains = containsText(
  "contains a text",
  "Passes when the answer holds the text, letter by letter.",
  false,
);
