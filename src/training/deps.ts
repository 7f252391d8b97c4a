/** What the trainer works with; the entry that composes a run makes it (worker, headless, tests). */
import type { CriterionJudge, JudgingDeps } from "./judging.ts";
import type { Policy, TextCodec } from "./policy.ts";

export interface TrainingDeps extends JudgingDeps {
  readonly policy: Policy;
  readonly codec: TextCodec;
  /** Judges at held-out evaluations; left out or null: the training's own does. */
  readonly heldOutJudge?: CriterionJudge | null;
  /** Milliseconds from any start; only differences are used. */
  readonly now: () => number;
}
