/** What a format reads out of a file before the parts are put together: prompts with the criteria that score their answers. */
import { z } from "zod";
import { chatMessageSchema, type ChatMessage } from "../../run/spec.ts";
import type { CheckSpec } from "../schema.ts";

export interface DraftCriterion {
  readonly where: string;
  readonly text: string;
  /** Signed: below 0 the text names something bad. */
  readonly points: number;
  readonly category?: string | undefined;
  /** null: the file gives none. */
  readonly id?: string | null;
  readonly required?: boolean | undefined;
  readonly penalty?: boolean | undefined;
  readonly check?: CheckSpec | null | undefined;
  /** Where it stood in the rubric that the file was written from. */
  readonly place?: number | undefined;
}

export interface DraftRow {
  readonly where: string;
  readonly promptId?: string | null;
  /** null: the criteria stand alone. */
  readonly messages: readonly ChatMessage[] | null;
  readonly fields?: Readonly<Record<string, string>>;
  readonly criteria: readonly DraftCriterion[];
}

export interface Draft {
  readonly title?: string | undefined;
  readonly rows: readonly DraftRow[];
}

/** Of criteria whose file has no categories. */
export const NO_CATEGORY = "all";

/** A decimal number as people write it. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The number that a text is; anything else as it came. */
export function decimalOf(value: unknown): unknown {
  return typeof value === "string" && DECIMAL.test(value.trim()) ? Number(value) : value;
}

/** A finite number; a text that is one counts as it. */
export const numberSchema = z.unknown().transform((value, context): number => {
  const number = decimalOf(value);
  if (typeof number === "number" && Number.isFinite(number)) return number;
  context.addIssue({ code: "custom", message: "a finite number", input: value });
  return z.NEVER;
});

/** A conversation that the model answers, or one message as text. */
export const promptSchema = z
  .union([z.string().trim().min(1), z.array(chatMessageSchema).min(1)], {
    error: "a text or a list of messages",
  })
  .transform((prompt, context): ChatMessage[] => {
    const messages = typeof prompt === "string" ? [{ role: "user" as const, content: prompt }] : prompt;
    if (messages.at(-1)?.role === "user") return messages;
    context.addIssue({ code: "custom", message: "a conversation whose last message is the user's" });
    return z.NEVER;
  });

export const textSchema = z.string().trim().min(1);

/** An id: numbers are ids too in many files. */
export const idSchema = z.union([z.string().min(1), z.number()]).transform(String);
