/** A check that fails on phrases from a list that people edit: what was said stands in the reason and is marked in the answer. */
import { z } from "zod";
import type { Judgement } from "../../verdicts.ts";
import { failed, findAny, isEmpty, listOf, passed } from "../answer-text.ts";
import { defineCheck } from "../check.ts";

interface DetectorDef {
  readonly title: string;
  readonly help: string;
  /** To begin with; the criterion holds its own list. */
  readonly phrases: readonly string[];
  /** Names what such a phrase is, e.g. "flattery". */
  readonly said: string;
}

export function phraseDetector({ title, help, phrases, said }: DetectorDef) {
  return defineCheck({
    title,
    help,
    args: z.strictObject({
      phrases: z
        .array(z.string().trim().min(1))
        .min(1)
        .default([...phrases])
        .describe("Phrases, one a line; upper and lower case count the same"),
      most: z.int().nonnegative().default(0).describe("So many of them are let pass"),
    }),
    judge: ({ text }, { phrases: own, most }): Judgement => {
      if (isEmpty(text)) return failed("the answer is empty");
      // ’ and ' are one length, so that places stay right
      const found = findAny(plainApostrophes(text), own.map(plainApostrophes));
      const distinct = [...new Set(found.map((piece) => piece.text.toLowerCase()))];
      if (found.length === 0) return passed(`no ${said} of the ${own.length} on the list`);
      const reason = `${said}: ${listOf(distinct)}`;
      return found.length <= most ? passed(`${reason}, ${most} are let pass`, found) : failed(reason, found);
    },
  });
}

function plainApostrophes(text: string): string {
  return text.replaceAll("’", "'");
}
