/**
 * Pre-tokenizers of a tokenizer.json that transformers.js runs otherwise than Hugging Face's library, as ones that it runs alike:
 * its `Digits` knows 0 to 9 alone (the library every Unicode number), and the expression of its `ByteLevel` takes U+FEFF for
 * white space, and U+0085 for none.
 */

type Json = Readonly<Record<string, unknown>>;

/** GPT-2's, which `ByteLevel` uses. */
const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/** The tokenizer.json with other pre-tokenizers of the same meaning. */
export function withExactSplits(tokenizer: Json): Record<string, unknown> {
  const { pre_tokenizer: before } = tokenizer;
  if (before === null || before === undefined) return { ...tokenizer };
  return { ...tokenizer, pre_tokenizer: { type: "Sequence", pretokenizers: exactSplits(before) } };
}

function exactSplits(before: unknown): readonly unknown[] {
  const one = before as (Json & { readonly pretokenizers?: readonly unknown[] }) | null | undefined;
  switch (one?.["type"]) {
    case "Sequence":
      return (one.pretokenizers ?? []).flatMap(exactSplits);
    case "Digits":
      return [split(one["individual_digits"] === true ? "\\p{N}" : "\\p{N}+")];
    case "ByteLevel":
      // a space put in front would have to be there before the split
      if (one["use_regex"] === false || one["add_prefix_space"] === true) return [one];
      return [split(GPT2), { ...one, use_regex: false }];
    default:
      return [before];
  }
}

function split(Regex: string): Json {
  return { type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false };
}
