/**
 * Text that a judge is to read as data. It becomes a JSON string on one line, so that nothing in it can end the section it
 * stands in, and what a chat template or a tokenizer takes for structure (`<|im_end|>`, `</answer>`, `[INST]`) is escaped too.
 */

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The text as a JSON string of one line. */
export function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(/[<>\u0085\u2028\u2029]/g, escaped)
    .replace(/\[(?=\/?[A-Z_]+\])/g, escaped);
}
