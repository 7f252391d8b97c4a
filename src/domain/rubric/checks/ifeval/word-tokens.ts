/** Words as NLTK's word tokenizer cuts them, as far as words in capitals go: rules that only touch quotation marks are left out. */
const CUTS: readonly (readonly [RegExp, string])[] = [
  [/[«“‘„`»”’]+/gu, " $& "],
  [/(?<![\p{L}\p{N}_])'(?!(?:re|ve|ll|m|t|s|d|n)(?![\p{L}\p{N}_]))(?=[\p{L}\p{N}_])/giu, "' "],
  [/([:,])([^\d])/gu, " $1 $2"],
  [/([:,])$/gu, " $1 "],
  [/\.{2,}|[;@#$%&?!*\u2012-\u2015\][(){}<>"]|--|''/gu, " $& "],
  [/\s+/gu, " "],
  [/$|^/gu, " "],
  [/([^' ])('s|'m|'d|') /giu, "$1 $2 "],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /gu, "$1 $2 "],
  [
    /\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b|\b(more)('n)\b|\b(d)('ye)\b/giu,
    " $1$3$5$7$9 $2$4$6$8 ",
  ],
];

export function tokens(text: string): string[] {
  return CUTS.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text)
    .split(/\s+/u)
    .filter((token) => token !== "");
}
