/** What a reward rule is and what it gives. One file per rule, one line in the registry. Rules are pure. */
import type { Maybe } from "../rubric/moments.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { Verdict, VerdictMatrix } from "../rubric/verdicts.ts";

/** A reward with its named parts. Missing (null) where no verdict could decide it, never 0. */
export interface Reward {
  readonly total: Maybe;
  /** Per category of rewarded criteria, in [0, 1] by the rule's own weights; null: no verdict there. */
  readonly parts: Readonly<Record<string, Maybe>>;
}

/** What a rule sees of one rollout; the three lists stand in the rubric's order. */
export interface RewardInput {
  readonly criteria: readonly Criterion[];
  readonly verdicts: readonly Verdict[];
  /** Factor a_j on each human weight; rules without alpha ignore it. */
  readonly alpha: readonly number[];
}

/** Advantages that a rule computes itself, without a reward in between. */
export interface DirectAdvantages {
  /** [P][G] */
  readonly advantages: readonly (readonly number[])[];
  /** Per group: whether its rollouts could not be told apart. */
  readonly zeroSpread: readonly boolean[];
}

export interface RewardRuleDef {
  /** Short name for the page. */
  readonly title: string;
  /** One sentence for the page's hover. */
  readonly explanation: string;
  /** The formula as text, for the page's hover. */
  readonly formula: string;
  /** Whether alpha is learned for this rule. */
  readonly learnsAlpha: boolean;
  readonly reward: (input: RewardInput) => Reward;
  /** null: GRPO's advantages of the reward totals. */
  readonly advantages:
    | ((
        criteria: readonly Criterion[],
        groups: readonly VerdictMatrix[],
        zeroSpreadTolerance: number,
      ) => DirectAdvantages)
    | null;
  /** Each criterion's share of the reward, in the rubric's order; sums to 1. */
  readonly pressure: (criteria: readonly Criterion[], alpha: readonly number[]) => number[];
}
