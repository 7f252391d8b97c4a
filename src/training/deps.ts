/** What the trainer works with; the entry that composes a run makes it (worker, headless, tests). */
import type { CheckTable } from "../domain/rubric/checks/check.ts";
import type { Policy, TextCodec } from "./policy.ts";

export interface TrainingDeps {
  readonly policy: Policy;
  readonly codec: TextCodec;
  readonly checks: CheckTable;
  /** Milliseconds from any start; only differences are used. */
  readonly now: () => number;
}
