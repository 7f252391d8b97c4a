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
  /** Loads what the check needs beyond the page's first bytes; awaited before `judge`, which throws without it. */
  readonly load?: () => Promise<void>;
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

/** Loads what the criteria's checks need before they judge. */
export async function loadChecks(
  table: CheckTable,
  criteria: readonly { readonly check: { readonly type: string } | null }[],
): Promise<void> {
  for (const { check } of criteria) if (check !== null) await findCheck(table, check.type)?.load?.();
}
