/** What passes between a sandbox's host and its thread. */
import type { SandboxResult, SandboxTask } from "../../domain/rubric/sandbox.ts";

export interface ToSandbox {
  readonly task: SandboxTask;
  readonly texts: readonly string[];
}

export type FromSandbox =
  /** Closed: `left` names what could not be taken away. */
  | { readonly kind: "ready"; readonly left: readonly string[] }
  /** Of the texts in their order, each as soon as it is there. */
  | { readonly kind: "result"; readonly result: SandboxResult }
  /** Every text is done, and so is whatever the code left to be done afterwards. */
  | { readonly kind: "done" };
