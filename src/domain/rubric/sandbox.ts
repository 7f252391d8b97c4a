/**
 * Where patterns and expressions that people write are run: somewhere that can be ended, with a time limit, without network
 * and page. Only its face stands here; what computes behind it is an argument (training/sandbox, app/worker/scoring, headless).
 */

/** A regular expression to look for, or an expression to compute, on each text. */
export type SandboxTask =
  | { readonly kind: "pattern"; readonly pattern: string; readonly flags: string }
  | {
      readonly kind: "expression";
      /** A JavaScript expression over `output` (the text) and `prompt`. */
      readonly code: string;
      readonly prompt: SandboxPrompt;
    };

/** What an expression sees of the prompt. */
export interface SandboxPrompt {
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** What came of one text. Whatever is no value is a reason: too long, or what the expression threw. */
export type SandboxResult =
  /** Places [start, end) of the first matches; empty = none. */
  | { readonly kind: "matches"; readonly spans: readonly (readonly [number, number])[] }
  /** The expression's value, 0 to 1; true = 1. */
  | { readonly kind: "value"; readonly value: number }
  | { readonly kind: "none"; readonly reason: string };

export interface Sandbox {
  /** One result a text, in their order. Never rejects for what the task does. */
  run(task: SandboxTask, texts: readonly string[]): Promise<readonly SandboxResult[]>;
}
