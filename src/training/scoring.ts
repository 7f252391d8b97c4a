/** From sampled groups to rewards and advantages: checks, judge noise, the arm's rule and alpha. */
import { defined } from "../base/assert.ts";
import { alphaFor, scopeKeyOf } from "../domain/reward/pow3r-alpha.ts";
import { rewardRules } from "../domain/reward/registry.ts";
import { scoreGroups, type ScoredGroup } from "../domain/reward/score-groups.ts";
import { criteriaFor } from "../domain/rubric/criteria.ts";
import { withJudgeNoise } from "../domain/rubric/judge-noise.ts";
import type { Criterion } from "../domain/rubric/schema.ts";
import type { VerdictMatrix } from "../domain/rubric/verdicts.ts";
import type { RubricVersion } from "../domain/run/rubric-versions.ts";
import type { ArmSpec, RunSpec, ScenarioPrompt } from "../domain/run/spec.ts";
import { judgeGroups, type JudgedGroup, type JudgingDeps } from "./judging.ts";
import type { SampledGroup } from "./rollout.ts";
import type { ArmState } from "./run-record.ts";

/** What all arms of a step share. */
export interface StepPlan {
  readonly spec: RunSpec;
  /** 1 for the first update. */
  readonly step: number;
  readonly rubric: RubricVersion;
  readonly prompts: readonly ScenarioPrompt[];
  /** The adapter of the reference policy, to which KL is; null = the base. */
  readonly reference: Float32Array | null;
  /** True when the step is the last of its epoch. */
  readonly endsEpoch: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** One prompt of a step, from samples to advantages. */
export interface TrainedGroup {
  readonly sampled: SampledGroup;
  readonly judged: JudgedGroup;
  /** As they count for its prompt, in the rubric's order. */
  readonly criteria: readonly Criterion[];
  /** As trained on: with judge noise. */
  readonly verdicts: VerdictMatrix;
  /** Alpha the group was scored with, in the rubric's order. */
  readonly alpha: readonly number[];
  readonly scored: ScoredGroup;
}

/** Whose rollouts are scored, and by what. */
export interface ScoringContext {
  readonly arm: ArmState;
  readonly armSpec: ArmSpec;
  readonly criteria: readonly Criterion[];
  readonly plan: StepPlan;
}

/** Judges, flips and scores the groups of one step by the arm's rule, with the alpha that earlier steps left. */
export async function scoreSampled(
  deps: JudgingDeps,
  { arm, armSpec, criteria, plan }: ScoringContext,
  sampled: readonly SampledGroup[],
): Promise<TrainedGroup[]> {
  const { spec, step } = plan;
  const learnsAlpha = rewardRules[armSpec.rule].learnsAlpha;
  const cleanGroups = await judgeGroups(deps, criteria, sampled, plan.signal);
  const judged = sampled.map((group, promptIndex) => {
    const clean = defined(cleanGroups[promptIndex], "verdicts of each group");
    const place = { seed: spec.seed, step, promptIndex };
    const scopeKey = scopeKeyOf(group.prompt.id, armSpec.pow3r);
    return {
      sampled: group,
      judged: clean,
      verdicts: withJudgeNoise(clean.verdicts, criteria, spec.judgeNoise, place),
      criteria: criteriaFor(criteria, group.prompt.id),
      alpha: learnsAlpha ? alphaFor(arm.pow3r, scopeKey, criteria) : criteria.map(() => 1),
    };
  });
  const scored = scoreGroups(armSpec.rule, criteria, judged, { ...spec.grpo, ...armSpec.grpo });
  return judged.map((group, p) => ({ ...group, scored: scored[p] as ScoredGroup }));
}
