/**
 * Held-out answers as numbers, by the human weights and without judge noise (methods.md section 1, "Training and
 * metrics"): the same yardstick for every arm, whatever it was rewarded by.
 */
import { defined } from "../../base/assert.ts";
import { staticScalarReward } from "../reward/static-scalar.ts";
import { categoryBalancedReward } from "../reward/category-balanced.ts";
import { criteriaFor, isRewarded, rewardedByCategory } from "../rubric/criteria.ts";
import { flatState } from "../rubric/flags.ts";
import { columnOf, meanOf, type Maybe } from "../rubric/moments.ts";
import { criterionIdentity, type Criterion } from "../rubric/schema.ts";
import { strictCompletionRate } from "../rubric/strict-completion.ts";
import type { VerdictMatrix } from "../rubric/verdicts.ts";
import type { Evaluation } from "./records.ts";

export interface EvaluationInput {
  readonly arm: string;
  /** Updates done before it. */
  readonly step: number;
  readonly rubricVersion: number;
  readonly criteria: readonly Criterion[];
  /** [N][C], before any noise. */
  readonly verdicts: VerdictMatrix;
  /** [N] the prompt that each answers. */
  readonly promptIds: readonly string[];
  /** [N] tokens of each answer. */
  readonly lengths: readonly number[];
  /** From `learningAtStart` of the base's answers, kept for the whole run. */
  readonly learning: readonly string[];
}

/** Identities of the rewarded criteria that were neither dead nor saturated among the base model's held-out answers. */
export function learningAtStart(criteria: readonly Criterion[], verdicts: VerdictMatrix): string[] {
  return criteria.flatMap((criterion, index) => {
    const rate = meanOf(columnOf(verdicts, index));
    const learning = isRewarded(criterion) && rate !== null && flatState(rate, 0) === null;
    return learning ? [criterionIdentity(criterion)] : [];
  });
}

/** The numbers of at least one answer; what could not be judged is missing. */
export function evaluateAnswers(input: EvaluationInput): Evaluation {
  const { criteria, verdicts } = input;
  const forPrompt = new Map(input.promptIds.map((id) => [id, criteriaFor(criteria, id)]));
  const inputs = verdicts.map((row, i) => {
    const own = forPrompt.get(defined(input.promptIds[i], "evaluateAnswers, prompt of each answer"));
    return { criteria: own ?? criteria, verdicts: row, alpha: [] };
  });
  const rewards = inputs.map(staticScalarReward);
  const names = rewardedByCategory(criteria).keys();
  const passRates = criteria.map((_, index) => meanOf(columnOf(verdicts, index)));
  return {
    kind: "evaluation",
    arm: input.arm,
    step: input.step,
    rubricVersion: input.rubricVersion,
    samples: verdicts.length,
    score: meanOf(rewards.map((reward) => reward.total)),
    balancedScore: meanOf(inputs.map((answer) => categoryBalancedReward(answer).total)),
    strictCompletion: strictCompletionRate(
      inputs.map(({ criteria: own, verdicts: row }) => ({ criteria: own, verdicts: [row] })),
    ),
    learningPassRate: learningPassRate(criteria, passRates, input.learning),
    categories: Object.fromEntries(
      [...names].map((name) => [name, meanOf(rewards.map((reward) => reward.parts[name] ?? null))]),
    ),
    criteria: criteria.map((criterion, index) => ({ id: criterion.id, passRate: passRates[index] ?? null })),
    meanLength: defined(meanOf(input.lengths), "evaluateAnswers, lengths of the answers"),
  };
}

function learningPassRate(
  criteria: readonly Criterion[],
  passRates: readonly Maybe[],
  learning: readonly string[],
): Maybe {
  return meanOf(
    passRates.filter((_, index) => {
      const criterion = criteria[index];
      return criterion !== undefined && learning.includes(criterionIdentity(criterion));
    }),
  );
}
