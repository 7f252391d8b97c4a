/** A finished step of one arm as the row behind every chart and export. */
import { stepMetrics, type UpdateFigures } from "../domain/grpo/metrics.ts";
import { appliesTo } from "../domain/rubric/criteria.ts";
import { shareOnState } from "../domain/rubric/pressure.ts";
import type { Criterion } from "../domain/rubric/schema.ts";
import { criterionSteps } from "../domain/run/criterion-steps.ts";
import type { ArmStep } from "../domain/run/records.ts";
import type { ArmSpec } from "../domain/run/spec.ts";
import type { ArmState } from "./run-record.ts";
import type { StepPlan, TrainedGroup } from "./scoring.ts";

export interface FinishedStep {
  /** After the step: its flags window and token count hold the step already. */
  readonly arm: ArmState;
  readonly armSpec: ArmSpec;
  readonly plan: StepPlan;
  readonly groups: readonly TrainedGroup[];
  readonly update: UpdateFigures;
  readonly learningRate: number;
  readonly seconds: number;
}

export function armStepRow({ arm, armSpec, plan, groups, ...step }: FinishedStep): ArmStep {
  const { criteria } = plan.rubric.rubric;
  const rows = criterionSteps({
    rule: armSpec.rule,
    criteria,
    groups: groups.map(({ criteria: own, verdicts, judged, alpha }) => ({
      criteria: own,
      verdicts,
      verdictsBeforeNoise: judged.verdicts,
      alpha,
    })),
    flags: arm.flags,
    judgeNoise: plan.spec.judgeNoise,
  });
  const metrics = stepMetrics({
    criteria,
    groups: groups.map((group) => group.scored),
    judged: groups,
    criterionSteps: rows,
    completions: groups.flatMap(({ sampled }) =>
      sampled.completions.map(({ tokens, ended }) => ({ length: tokens.length, ended })),
    ),
    update: step.update,
    learningRate: step.learningRate,
    numTokens: arm.tokens,
    stepTimeS: step.seconds,
  });
  return {
    kind: "step",
    arm: arm.id,
    step: plan.step,
    rubricVersion: plan.rubric.version,
    promptIds: groups.map((group) => group.sampled.prompt.id),
    metrics: { ...metrics, ...judgeMetrics(groups) },
    criteria: rows,
    teachingShare: shareOnState(rows, "learning"),
    zeroSignal:
      step.update.entropy === null || // no token in the loss
      groups.every((group) => group.scored.advantages.every((advantage) => advantage === 0)),
  };
}

/** [ours] Verdicts of the step that are missing, and those of them whose check broke. */
const counts = (criterion: Criterion | undefined, { prompt }: TrainedGroup["sampled"]): boolean =>
  criterion !== undefined && appliesTo(criterion, prompt.id);

function judgeMetrics(groups: readonly TrainedGroup[]): Record<string, number> {
  // of criteria that count for the prompt: one of another prompt has no verdict to miss
  const missing = groups.flatMap(({ criteria, sampled, verdicts }) =>
    verdicts.flatMap((row) => row.filter((verdict, j) => verdict === null && counts(criteria[j], sampled))),
  );
  return {
    "judge/missing": missing.length,
    "judge/failed": groups.reduce((sum, group) => sum + group.judged.failures.length, 0),
  };
}
