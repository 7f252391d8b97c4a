/**
 * Check: how easy English is to read. Reading ease (Flesch 1948): 206.835 - 1.015 words/sentences - 84.6 syllables/words, about 100 =
 * very easy, 0 = very hard. Grade (Kincaid et al. 1975): .39 words/sentences + 11.8 syllables/words - 15.59, in school years.
 * Syllables are counted by the `syllable` package's rules for English.
 */
import { z } from "zod";
import { defined } from "../../../../base/assert.ts";
import { failed, passed, sentencesOf, wordsOf } from "../answer-text.ts";
import { defineCheck } from "../check.ts";

let syllablesOf: ((word: string) => number) | null = null;

async function loadSyllables(): Promise<void> {
  syllablesOf ??= (await import("syllable")).syllable;
}

export const readingEase = defineCheck({
  title: "is easy to read",
  help: "Passes when the Flesch reading ease, or the Flesch-Kincaid school grade, of English text lies in the bounds.",
  args: z
    .strictObject({
      measure: z
        .enum(["reading ease", "grade"])
        .default("reading ease")
        .describe("Reading ease: 100 is very easy, 0 very hard. Grade: school years"),
      min: z.number().default(60).describe("Least"),
      max: z.number().default(122).describe("Most"),
    })
    .refine(({ min, max }) => min <= max, { error: "the least must not be more than the most" }),
  load: loadSyllables,
  judge: ({ text }, { measure, min, max }) => {
    const counts = countsOf(text);
    if (counts === null) return failed("no words to read");
    const value = measure === "grade" ? gradeOf(counts) : easeOf(counts);
    const said = `${measure} ${value.toFixed(1)}, asked: ${min} to ${max}`;
    return value >= min && value <= max ? passed(said) : failed(said);
  },
});

interface Counts {
  readonly sentences: number;
  readonly words: number;
  readonly syllables: number;
}

function countsOf(text: string): Counts | null {
  const words = wordsOf(text).filter((word) => /\p{L}/u.test(word.text));
  if (words.length === 0) return null;
  const count = defined(syllablesOf ?? undefined, "reading ease, syllables loaded before it judges");
  const syllables = words.reduce((sum, word) => sum + Math.max(1, count(word.text)), 0);
  return { sentences: Math.max(1, sentencesOf(text).length), words: words.length, syllables };
}

function easeOf({ sentences, words, syllables }: Counts): number {
  return 206.835 - 1.015 * (words / sentences) - 84.6 * (syllables / words);
}

function gradeOf({ sentences, words, syllables }: Counts): number {
  return 0.39 * (words / sentences) + 11.8 * (syllables / words) - 15.59;
}
