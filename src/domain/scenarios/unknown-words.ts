/**
 * Which words of a typed message the bundled model never saw: it was trained on two kinds of text alone, customer messages and
 * short health notes. Its words are those of its corpus' replies and of the bundled scenarios' prompts, whatever their case.
 */
import { wordsOf } from "../rubric/checks/answer-text.ts";
import type { ScenarioPrompt } from "../run/spec.ts";
import { wordPairs } from "../rubric/checks/generated/word-pairs.ts";
import { customerReply } from "./customer-reply.ts";
import { healthNote } from "./health-note.ts";
import { bodyParts, injuries } from "./words/injuries.ts";
import { names } from "./words/names.ts";
import { problems } from "./words/problems.ts";
import { products } from "./words/products.ts";
import { yourOwnPrompts } from "./your-own-prompts.ts";

let known: ReadonlySet<string> | undefined;

function knownWords(): ReadonlySet<string> {
  known ??= new Set(
    [
      wordPairs,
      ...[customerReply, healthNote, yourOwnPrompts].flatMap(({ trainPrompts, heldOutPrompts }) =>
        [...trainPrompts, ...heldOutPrompts].flatMap(({ messages }) =>
          messages.map(({ content }) => content),
        ),
      ),
      ...[...problems, ...injuries].map(({ text }) => text),
      ...names,
      ...products,
      ...bodyParts,
    ].flatMap((text) => wordsOf(text).map((word) => word.text.toLowerCase())),
  );
  return known;
}

/** The unknown words as typed, each once, in their order; numbers are known. */
export function unknownWords(text: string): string[] {
  const words = wordsOf(text)
    .map((word) => word.text)
    .filter((word) => !/^\p{N}+$/u.test(word) && !knownWords().has(word.toLowerCase()));
  return words.filter(
    (word, i) => words.findIndex((other) => other.toLowerCase() === word.toLowerCase()) === i,
  );
}

/** What of a set's prompts the bundled model never saw. */
interface BeyondBundled {
  /** As typed, each once. */
  readonly words: readonly string[];
  /** How many of the prompts hold one. */
  readonly prompts: number;
}

/** Every message counts, those before the last one too. */
export function beyondBundled(prompts: readonly Pick<ScenarioPrompt, "messages">[]): BeyondBundled {
  const texts = prompts.map(({ messages }) => messages.map(({ content }) => content).join("\n"));
  return {
    words: unknownWords(texts.join("\n")),
    prompts: texts.filter((text) => unknownWords(text).length > 0).length,
  };
}
