/**
 * The metrics of one step of one arm: TRL 1.16's names, and ours beside them (methods.md section 5). null = missing.
 *
 * 1. frac_reward_zero_std counts groups, also where `scale_rewards` is "batch" (TRL counts the batch's spread there).
 * 2. completions/*_terminated_length are missing when nothing ended (TRL logs 0).
 * 3. Means over the tokens in the loss are missing where there is none (TRL logs 0).
 * 4. Ours: loss, rewards/<category>/*, groups/*, criteria/<id>/*, strict_completion, the rubric's own diagnostics.
 */
import type { ScoredGroup } from "../reward/score-groups.ts";
import { meanOf, present, sampleStd, type Maybe } from "../rubric/moments.ts";
import { contrastWeightedPressure, shareOnState, weightVarianceCorrelation } from "../rubric/pressure.ts";
import type { Criterion } from "../rubric/schema.ts";
import { strictCompletionRate, type PromptVerdicts } from "../rubric/strict-completion.ts";
import type { CriterionStep } from "../run/records.ts";
import type { ClipRatio } from "./reference-loss.ts";

/** What the update measured: means over the iterations, except where said. */
export interface UpdateFigures {
  readonly loss: number;
  /** Global norm before clipping. */
  readonly gradNorm: number;
  /** Mean over the tokens in the loss, nats. */
  readonly entropy: Maybe;
  /** null when beta is 0. */
  readonly kl: Maybe;
  readonly clipRatio: ClipRatio;
  /** |log p sampled - log p in the training graph| over the tokens in the loss, first iteration. */
  readonly samplingDifference: { readonly mean: Maybe; readonly max: Maybe };
}

export interface StepMeasurements {
  readonly criteria: readonly Criterion[];
  readonly groups: readonly ScoredGroup[];
  /** [P] verdicts as trained on. */
  readonly judged: readonly PromptVerdicts[];
  readonly criterionSteps: readonly CriterionStep[];
  /** Every completion of the step: tokens with the end token, and whether the model ended it. */
  readonly completions: readonly { readonly length: number; readonly ended: boolean }[];
  readonly update: UpdateFigures;
  readonly learningRate: number;
  /** Prompt and completion tokens of this arm so far. */
  readonly numTokens: number;
  readonly stepTimeS: number;
}

export type Metrics = Readonly<Record<string, Maybe>>;

/** Every metric of the step by its name. */
export function stepMetrics(step: StepMeasurements): Metrics {
  return {
    ...rewardMetrics(step.groups),
    ...completionMetrics(step.completions),
    ...updateMetrics(step),
    ...groupMetrics(step),
    ...rubricMetrics(step),
  };
}

function rewardMetrics(groups: readonly ScoredGroup[]): Metrics {
  const rewards = groups.flatMap((group) => group.rewards);
  const totals = rewards.map((reward) => reward.total);
  const names = new Set(rewards.flatMap((reward) => Object.keys(reward.parts)));
  const parts = [...names].flatMap((name) => {
    const values = rewards.map((reward) => reward.parts[name] ?? null);
    return [
      [`rewards/${name}/mean`, meanOf(values)],
      [`rewards/${name}/std`, sampleStd(values)],
    ] as const;
  });
  return {
    reward: meanOf(totals),
    reward_std: sampleStd(totals),
    frac_reward_zero_std: meanOf(groups.map((group) => Number(group.zeroSpread))),
    ...Object.fromEntries(parts),
  };
}

function completionMetrics(completions: StepMeasurements["completions"]): Metrics {
  const lengths = completions.map((completion) => completion.length);
  const ended = completions.filter((completion) => completion.ended).map((completion) => completion.length);
  return {
    "completions/mean_length": meanOf(lengths),
    "completions/min_length": extreme(lengths, Math.min),
    "completions/max_length": extreme(lengths, Math.max),
    "completions/clipped_ratio": meanOf(completions.map((completion) => Number(!completion.ended))),
    "completions/mean_terminated_length": meanOf(ended),
    "completions/min_terminated_length": extreme(ended, Math.min),
    "completions/max_terminated_length": extreme(ended, Math.max),
  };
}

function extreme(values: readonly number[], pick: (...values: number[]) => number): Maybe {
  return values.length === 0 ? null : pick(...values);
}

function updateMetrics({ update, learningRate, numTokens, stepTimeS }: StepMeasurements): Metrics {
  return {
    loss: update.loss,
    entropy: update.entropy,
    kl: update.kl,
    "clip_ratio/low_mean": update.clipRatio.low,
    "clip_ratio/high_mean": update.clipRatio.high,
    "clip_ratio/region_mean": update.clipRatio.region,
    grad_norm: update.gradNorm,
    learning_rate: learningRate,
    num_tokens: numTokens,
    step_time: stepTimeS,
    "sampling/sampling_logp_difference/mean": update.samplingDifference.mean,
    "sampling/sampling_logp_difference/max": update.samplingDifference.max,
  };
}

/** A rollout is solved when it is strictly complete; a group of which nothing could be told is left out. */
function groupMetrics({ groups, judged }: StepMeasurements): Metrics {
  const rates = present(judged.map((group) => strictCompletionRate([group])));
  const share = (is: (rate: number) => boolean): Maybe => meanOf(rates.map((rate) => Number(is(rate))));
  return {
    strict_completion: strictCompletionRate(judged),
    "groups/solved_none": share((rate) => rate === 0),
    "groups/solved_all": share((rate) => rate === 1),
    "groups/mixed": share((rate) => rate > 0 && rate < 1),
    "groups/reward_std": meanOf(groups.map((group) => group.rewardStd)),
  };
}

function rubricMetrics({ criteria, criterionSteps }: StepMeasurements): Metrics {
  const variances = criterionSteps.map((criterion) => criterion.variance);
  const pressure = criterionSteps.map((criterion) => criterion.pressure);
  const contrast = present(contrastWeightedPressure(pressure, variances));
  const perCriterion = criterionSteps.flatMap((criterion) => [
    [`criteria/${criterion.id}/mean`, criterion.passRate] as const,
    [
      `criteria/${criterion.id}/std`,
      criterion.variance === null ? null : Math.sqrt(criterion.variance),
    ] as const,
    [`criteria/${criterion.id}/alpha`, criterion.alpha] as const,
    [`criteria/${criterion.id}/pressure`, criterion.pressure] as const,
  ]);
  return {
    "rubric/teaching_share": shareOnState(criterionSteps, "learning"),
    "rubric/contrast_pressure":
      contrast.length === 0 ? null : contrast.reduce((sum, value) => sum + value, 0),
    "rubric/weight_variance_correlation": weightVarianceCorrelation(criteria, variances),
    ...Object.fromEntries(perCriterion),
  };
}
