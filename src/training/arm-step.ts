/**
 * One GRPO step of one arm: rollouts -> verdicts -> rewards and advantages -> update -> flags and alpha. The step is
 * scored with the alpha that earlier steps left. Pure in its state: an arm goes in, the arm after the step comes out.
 */
import { endEpoch, scopeKeyOf, updateAlpha } from "../domain/reward/pow3r-alpha.ts";
import { rewardRules } from "../domain/reward/registry.ts";
import { extendFlagWindow } from "../domain/rubric/flags.ts";
import { learningRateAt } from "../domain/grpo/schedules.ts";
import type { ArmStep, RolloutGroup } from "../domain/run/records.ts";
import { armStepRow } from "./arm-step-row.ts";
import type { TrainingDeps } from "./deps.ts";
import { sampleGroups, type SampledGroup } from "./rollout.ts";
import { rolloutGroup } from "./rollout-group.ts";
import { armSpecOf, type ArmState } from "./run-record.ts";
import { scoreSampled, type ScoringContext, type StepPlan, type TrainedGroup } from "./scoring.ts";
import { updateAdapter, type UpdateResult } from "./update.ts";

export interface ArmStepResult {
  readonly arm: ArmState;
  readonly row: ArmStep;
  readonly groups: readonly RolloutGroup[];
  readonly sampled: readonly SampledGroup[];
}

/** @throws PlaygroundError `not-finite`, `diverged` or `aborted`; the arm that came in is untouched. */
export async function runArmStep(deps: TrainingDeps, arm: ArmState, plan: StepPlan): Promise<ArmStepResult> {
  const startedAt = deps.now();
  const { spec, step } = plan;
  const criteria = plan.rubric.rubric.criteria;
  const armSpec = armSpecOf(spec, arm.id);
  const grpo = { ...spec.grpo, ...armSpec.grpo };
  const sampled = await sampleGroups(deps.policy, deps.codec, {
    prompts: plan.prompts,
    groupSize: spec.grpo.num_generations,
    adapter: arm.adapter,
    sampling: spec.grpo,
    seed: spec.seed,
    stream: ["rollouts", step],
    signal: plan.signal,
  });
  const groups = await scoreSampled(deps, { arm, armSpec, criteria, plan }, sampled);
  const ownEdits = spec.learningRateEdits.filter(({ seed }) => seed === spec.seed);
  const learningRate = learningRateAt(step, grpo, ownEdits);
  const update = await updateAdapter(deps.policy, {
    groups: sampled,
    advantages: groups.map((group) => group.scored.advantages),
    from: arm,
    reference: plan.reference,
    config: grpo,
    learningRate,
    where: `step ${step}, seed ${spec.seed}, arm "${arm.id}"`,
    signal: plan.signal,
  });
  const next = nextArm(arm, { armSpec, criteria, plan }, groups, update);
  const seconds = (deps.now() - startedAt) / 1000;
  return {
    arm: next,
    row: armStepRow({ arm: next, armSpec, plan, groups, update, learningRate, seconds }),
    groups: groups.map((group) => rolloutGroup(deps.codec, group, { arm: arm.id, step, criteria })),
    sampled,
  };
}

function nextArm(
  arm: ArmState,
  { armSpec, criteria, plan }: Omit<ScoringContext, "arm">,
  groups: readonly TrainedGroup[],
  update: UpdateResult,
): ArmState {
  const observations = groups.map((group) => ({
    scopeKey: scopeKeyOf(group.sampled.prompt.id, armSpec.pow3r),
    verdicts: group.verdicts,
  }));
  let pow3r = arm.pow3r;
  if (rewardRules[armSpec.rule].learnsAlpha) {
    pow3r = updateAlpha(pow3r, observations, criteria, armSpec.pow3r);
    if (plan.endsEpoch) pow3r = endEpoch(pow3r, criteria, armSpec.pow3r);
  }
  const flags = extendFlagWindow(
    arm.flags,
    criteria,
    groups.map((group) => group.verdicts),
    plan.spec.judgeNoise,
  );
  return { ...arm, ...update.to, pow3r, flags, tokens: arm.tokens + tokensOf(groups) };
}

/** Prompt and completion tokens of a step; TRL counts the prompt once per completion. */
function tokensOf(groups: readonly TrainedGroup[]): number {
  return groups
    .flatMap(({ sampled }) =>
      sampled.completions.map((each) => each.tokens.length + sampled.promptTokens.length),
    )
    .reduce((sum, tokens) => sum + tokens, 0);
}
