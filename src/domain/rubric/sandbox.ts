/**
 * Where patterns, schemas and expressions that people write are run: somewhere that can be ended, with a time limit, without
 * network and page. Only its face stands here; what computes behind it is handed in (training/sandbox).
 */

/** Done on each text. */
export type SandboxTask =
  | { readonly kind: "pattern"; readonly pattern: string; readonly flags: string }
  /** The text is JSON; does it fit a JSON Schema? */
  | { readonly kind: "schema"; readonly schema: unknown }
  | {
      readonly kind: "expression";
      /** JavaScript over `output` (the text), `prompt` and `context` (as promptfoo's: `vars`, `prompt`). */
      readonly code: string;
      readonly prompt: { readonly text: string; readonly fields: Readonly<Record<string, string>> };
    };

/** What came of one text. */
export type SandboxResult =
  /** Places [start, end) of the first matches; empty = none. */
  | { readonly kind: "matches"; readonly spans: readonly (readonly [number, number])[] }
  /** 0 to 1, with what the schema or the expression says of it. */
  | { readonly kind: "value"; readonly value: number; readonly said: string }
  /** Nothing: too long, or what the code threw. */
  | { readonly kind: "none"; readonly reason: string };

export interface Sandbox {
  /** One result a text, in their order. Never rejects for what the task does. */
  run(task: SandboxTask, texts: readonly string[]): Promise<readonly SandboxResult[]>;
}
