/** The two set-ups that bundled scenarios share: heavy weights on flat criteria with a slightly noisy judge, and mild ones. */
import { rubricSchema } from "../rubric/schema.ts";
import type { CheckSpec, Rubric } from "../rubric/schema.ts";
import type { CheckName } from "../rubric/checks/registry.ts";
import type { ScenarioSetUp } from "./scenario.ts";

export interface CriterionPlan {
  readonly id: string;
  readonly text: string;
  readonly category: string;
  readonly check: { readonly type: CheckName; readonly args?: CheckSpec["args"]; readonly negate?: boolean };
  /** Weight in the mild set-up: 1 to 3, and 8 on fluency. */
  readonly mild: number;
  /** Flat at the base and heavily weighted in the heavy set-up. */
  readonly heavy?: boolean;
  /** Weight in the heavy set-up where it is neither the heavy one nor 1. */
  readonly inHeavy?: number;
  readonly required?: boolean;
}

/** What a flat criterion weighs in the heavy set-up (methods.md: about ten to one). */
const HEAVY = 10;

/** One alpha for the whole scenario, moved at every step: with few prompts seen once or twice each, nothing else can learn. */
const pow3r = { alpha_update: "step", alpha_scope: "scenario" } as const;

function buildRubric(
  title: string,
  plans: readonly CriterionPlan[],
  weigh: (plan: CriterionPlan) => number,
): Rubric {
  const criteria = plans.map((plan) => ({
    id: plan.id,
    text: plan.text,
    category: plan.category,
    weight: weigh(plan),
    required: plan.required ?? false,
    check: plan.check,
  }));
  return rubricSchema.parse({ title, criteria });
}

const flatOnes = (plans: readonly CriterionPlan[]): string[] =>
  plans.filter((plan) => plan.heavy === true).map((plan) => plan.id);

/** A set-up's rubric with another weight on each of its flat criteria. */
export function withFlatWeight({ rubric, flatCriteria }: ScenarioSetUp, weight: number): Rubric {
  return {
    ...rubric,
    criteria: rubric.criteria.map((criterion) =>
      flatCriteria.includes(criterion.id) ? { ...criterion, weight } : criterion,
    ),
  };
}

export function heavySetUp(title: string, plans: readonly CriterionPlan[]): ScenarioSetUp {
  return {
    id: "heavy",
    title: "Heavy weights",
    shows:
      "Ten times the weight stands on five criteria that never change, and the judge errs in 3 of 100 verdicts: that is where POW3R's alpha helps.",
    judgeNoise: 0.03,
    rubric: buildRubric(title, plans, (plan) => (plan.heavy === true ? HEAVY : (plan.inHeavy ?? 1))),
    flatCriteria: flatOnes(plans),
    pow3r,
    grpo: {},
  };
}

/**
 * With the demo's defaults (rate 2e-3, one prompt a step, no KL) 60 mild steps take fluency from .94 to about .80. Six
 * prompts a step, a lower rate, the paper's KL of .1 and room for longer replies keep nine in ten replies fluent [ours].
 */
const gentle = {
  learning_rate: 1.3e-3,
  prompts_per_step: 6,
  beta: 0.1,
  max_completion_length: 80,
} as const;

export function mildSetUp(title: string, plans: readonly CriterionPlan[]): ScenarioSetUp {
  return {
    id: "mild",
    title: "Mild weights",
    shows:
      "Weights from 1 to 3 (8 on being well formed) and a judge that never errs: the arms learn alike, since constant criteria cancel within a group.",
    judgeNoise: 0,
    rubric: buildRubric(title, plans, (plan) => plan.mild),
    flatCriteria: flatOnes(plans),
    pow3r,
    grpo: gentle,
  };
}
