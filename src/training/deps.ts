/** What the trainer works with; the entry that composes a run makes it (worker, headless, tests). */
import type { JudgingDeps } from "./judging.ts";
import type { Policy, TextCodec } from "./policy.ts";

export interface TrainingDeps extends JudgingDeps {
  readonly policy: Policy;
  readonly codec: TextCodec;
  /** Milliseconds from any start; only differences are used. */
  readonly now: () => number;
}
