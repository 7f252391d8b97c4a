/** What a programmatic check is. One file per check, one line in the registry. Checks are pure. */
import type { z } from "zod";
import type { Answer, Judgement, PromptFacts } from "../verdicts.ts";

export interface CheckDef<Args extends z.ZodType = z.ZodType> {
  /** Shown in the editor, e.g. "contains one of". */
  readonly title: string;
  /** One sentence for the editor's hover. */
  readonly help: string;
  /** Describes and validates the arguments; the editor draws its fields from it. */
  readonly args: Args;
  judge(answer: Answer, args: z.output<Args>, prompt: PromptFacts): Judgement;
}

/** Checks by name. */
export type CheckTable = Readonly<Record<string, CheckDef | undefined>>;

/** The check of that name; undefined where the table holds none of its own. */
export function findCheck(table: CheckTable, type: string): CheckDef | undefined {
  return Object.hasOwn(table, type) ? table[type] : undefined;
}

/** Keeps the argument type of a definition while it stands in the registry. */
export function defineCheck<Args extends z.ZodType>(def: CheckDef<Args>): CheckDef<Args> {
  return def;
}
