/** What a programmatic check is. One file per check, one line in the registry. Checks are pure. */
import type { z } from "zod";
import type { Embedder } from "../embedder.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Answer, Judgement, PromptFacts } from "../verdicts.ts";

interface CheckFace<Args extends z.ZodType> {
  /** Shown in the editor, e.g. "contains one of". */
  readonly title: string;
  /** One sentence for the editor's list. */
  readonly help: string;
  /** Describes and validates the arguments; the editor draws its fields from it. */
  readonly args: Args;
  /** Loads what the check needs beyond the page's first bytes; awaited before `judge`, which throws without it. */
  readonly load?: () => Promise<void>;
}

/** A check that decides at once from the answer alone. */
export interface PlainCheck<Args extends z.ZodType = z.ZodType> extends CheckFace<Args> {
  judge(answer: Answer, args: z.output<Args>, prompt: PromptFacts): Judgement;
}

/** What is not pure and is handed in where verdicts are made; null = there is none here. */
export interface CheckTools {
  readonly sandbox: Sandbox | null;
  /** A model's; the lexical one needs none. */
  readonly embedder: Embedder | null;
}

/** A verdict that may be missing because the check broke: it ran out of time, or threw. */
export interface CheckedJudgement extends Judgement {
  readonly failed: boolean;
  /** A local judge's P(yes) / (P(yes) + P(no)) that the criterion's words are met; others have none. */
  readonly pYes?: number;
}

/** A check that asks something outside for its verdicts: all answers to one prompt at once. */
export interface AskingCheck<Args extends z.ZodType = z.ZodType> extends CheckFace<Args> {
  /** [G], in the answers' order. */
  ask(
    answers: readonly Answer[],
    args: z.output<Args>,
    prompt: PromptFacts,
    tools: CheckTools,
  ): Promise<readonly CheckedJudgement[]>;
}

export type CheckDef<Args extends z.ZodType = z.ZodType> = PlainCheck<Args> | AskingCheck<Args>;

/** Checks by name. */
export type CheckTable = Readonly<Record<string, CheckDef | undefined>>;

/** The check of that name; undefined where the table holds none of its own. */
export function findCheck<Def>(
  table: Readonly<Record<string, Def | undefined>>,
  type: string,
): Def | undefined {
  return Object.hasOwn(table, type) ? table[type] : undefined;
}

/** Keeps the argument type of a definition while it stands in the registry. */
export function defineCheck<Args extends z.ZodType>(def: PlainCheck<Args>): PlainCheck<Args> {
  return def;
}

/** The same for a check that asks. */
export function defineAskingCheck<Args extends z.ZodType>(def: AskingCheck<Args>): AskingCheck<Args> {
  return def;
}

/** Loads what the criteria's checks need before they judge. */
export async function loadChecks(
  table: CheckTable,
  criteria: readonly { readonly check: { readonly type: string } | null }[],
): Promise<void> {
  for (const { check } of criteria) if (check !== null) await findCheck(table, check.type)?.load?.();
}
