/**
 * One reward rule trained on the Bernoulli policy with one seed: G rollouts of C independent verdicts, flips by judge
 * noise, the rule's reward, GRPO's advantages, the policy gradient on the logits, then POW3R's alpha. The rules, the
 * advantages and alpha are the trainer's own. methods.md section 1, "What to expect".
 *
 * 1. The gradient is the mean over rollouts of A_i (s_ij - p_j) with the rollout's own s_ij, before flips [ours]: what the
 *    judge says enters by A_i alone, as with a language model.
 * 2. No clipping, no KL, no optimizer: one on-policy step, as large as the gradient says.
 * 3. Every rule meets the same random numbers (uniform draws, not verdicts: their pass rates come to differ).
 */
import { createRng, fillUniform, type RngState } from "../../base/rng.ts";
import { computeAdvantages, type AdvantageConfig } from "../grpo/advantages.ts";
import { grpoConfigSchema } from "../grpo/config.ts";
import { rewardRules } from "../reward/registry.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { RewardRuleName } from "../run/spec.ts";
import { groupRewards } from "./group-rewards.ts";
import { moveAlphas, writePressure, type WeightedCategories } from "./numeric-alpha.ts";
import type { SimulatorSettings } from "./settings.ts";
import { drawWorld, type World } from "./world.ts";

/** What a run of one rule and seed leaves, [steps + 1] each: after 0, 1, 2 ... updates. */
export interface ArmRun {
  /** Category-balanced score by the weights, expected over rollouts and without flips. */
  readonly score: Float64Array;
  /** Mean pass rate of the mixed criteria; NaN where there is none. */
  readonly mixedPassRate: Float64Array;
  /** Mean alpha, 1 for rules without; NaN where there is no such criterion. */
  readonly flatAlpha: Float64Array;
  readonly mixedAlpha: Float64Array;
}

/** The whole run. */
export function simulateArm(settings: SimulatorSettings, rule: RewardRuleName, seed: number): ArmRun {
  const arm = startArm(settings, rule, seed);
  const curve = (): Float64Array => new Float64Array(settings.steps + 1);
  const run = { score: curve(), mixedPassRate: curve(), flatAlpha: curve(), mixedAlpha: curve() };
  for (let step = 0; step <= settings.steps; step++) {
    if (step > 0) stepArm(arm);
    run.score[step] = expectedScore(arm);
    run.mixedPassRate[step] = meanWhere(arm.passRates, arm.world.flat, false);
    run.flatAlpha[step] = meanWhere(arm.alpha, arm.world.flat, true);
    run.mixedAlpha[step] = meanWhere(arm.alpha, arm.world.flat, false);
  }
  return run;
}

/** One rule's policy between two updates; its lists are in the rubric's order. */
export interface Arm {
  readonly settings: SimulatorSettings;
  readonly rule: RewardRuleName;
  readonly world: World;
  readonly rubric: WeightedCategories;
  /** Each criterion's share of the category-balanced score, the yardstick. */
  readonly yardstick: readonly number[];
  readonly logits: Float64Array;
  /** Sigmoid of the logits. */
  readonly passRates: Float64Array;
  /** Two streams of random numbers, and the newest step's from each, [G x C]. */
  rolloutState: RngState;
  noiseState: RngState;
  readonly draws: Float64Array;
  readonly noise: Float64Array;
  /** [G x C]: the rollouts' own verdicts of the newest step, and what the judge said. */
  readonly own: Uint8Array;
  readonly judged: Uint8Array;
  /** [G] rewards of the newest step; for GDPO its sums of z-scores. */
  readonly rewards: Float64Array;
  /** [G] advantages of the newest step. */
  advantages: readonly number[];
  readonly alpha: Float64Array;
  /** The rule's pressure by the alpha that stands. */
  readonly pressure: Float64Array;
  /** Sums of the within-group variances since alpha moved, over so many groups. */
  readonly variances: Float64Array;
  groups: number;
}

/** The policy before any update. */
export function startArm(settings: SimulatorSettings, rule: RewardRuleName, seed: number): Arm {
  const world = drawWorld(settings, seed);
  const { criteria, passRates } = world;
  const size = settings.num_generations;
  const verdicts = size * criteria.length;
  const ones = criteria.map(() => 1);
  return {
    settings,
    rule,
    world,
    rubric: weightedCategories(criteria),
    yardstick: rewardRules["category-balanced"].pressure(criteria, ones),
    logits: Float64Array.from(passRates, (p) => Math.log(p / (1 - p))),
    passRates: Float64Array.from(passRates),
    rolloutState: createRng(seed, "rollouts").state(),
    noiseState: createRng(seed, "judge-noise").state(),
    draws: new Float64Array(verdicts),
    noise: new Float64Array(verdicts),
    own: new Uint8Array(verdicts),
    judged: new Uint8Array(verdicts),
    rewards: new Float64Array(size),
    advantages: [],
    alpha: Float64Array.from(ones),
    pressure: Float64Array.from(rewardRules[rule].pressure(criteria, ones)),
    variances: new Float64Array(criteria.length),
    groups: 0,
  };
}

function weightedCategories(criteria: readonly Criterion[]): WeightedCategories {
  const names = [...new Set(criteria.map(({ category }) => category))];
  return {
    weights: Float64Array.from(criteria, ({ weight }) => weight),
    categoryOf: Int32Array.from(criteria, ({ category }) => names.indexOf(category)),
    categories: names.length,
  };
}

/** One update: rollouts, verdicts, rewards, advantages, logits, alpha. */
export function stepArm(arm: Arm): void {
  const met = sampleVerdicts(arm);
  const { judged: verdicts, pressure } = arm;
  groupRewards[arm.rule]({ verdicts, met, weights: arm.rubric.weights, pressure }, arm.rewards);
  const [group] = computeAdvantages([Array.from(arm.rewards)], advantageConfig(arm));
  arm.advantages = group?.advantages ?? [];
  moveLogits(arm);
  if (rewardRules[arm.rule].learnsAlpha) moveAlpha(arm, met);
}

const ZERO_SPREAD = grpoConfigSchema.shape.zero_spread_tolerance.parse(undefined);

/** GDPO divides by the batch's spread whatever `scale_rewards` says; here the batch is the group. */
function advantageConfig({ rule, settings }: Arm): AdvantageConfig {
  return {
    scale_rewards: rule === "gdpo" ? "group" : settings.scale_rewards,
    zero_spread_tolerance: ZERO_SPREAD,
  };
}

/** Fills `own` and `judged`; gives how many of the judged verdicts are met, [C]. */
function sampleVerdicts(arm: Arm): Int32Array {
  const { own, judged, passRates, draws, noise } = arm;
  const count = passRates.length;
  const met = new Int32Array(count);
  const flips = arm.settings.judgeNoise;
  arm.rolloutState = fillUniform(arm.rolloutState, draws);
  if (flips > 0) arm.noiseState = fillUniform(arm.noiseState, noise);
  for (let at = 0; at < own.length;) {
    for (let j = 0; j < count; j++, at++) {
      const verdict = (draws[at] as number) < (passRates[j] as number) ? 1 : 0;
      const heard = flips > 0 && (noise[at] as number) < flips ? 1 - verdict : verdict;
      own[at] = verdict;
      judged[at] = heard;
      met[j] = (met[j] as number) + heard;
    }
  }
  return met;
}

/** theta_j <- theta_j + step size * mean_i A_i (s_ij - p_j) */
function moveLogits({ logits, passRates, own, advantages, settings }: Arm): void {
  const count = logits.length;
  for (let i = 0; i < advantages.length; i++) {
    const rate = (settings.stepSize * (advantages[i] as number)) / advantages.length;
    for (let j = 0; j < count; j++) {
      const score = (own[i * count + j] as number) - (passRates[j] as number);
      logits[j] = (logits[j] as number) + rate * score;
    }
  }
  for (let j = 0; j < count; j++) passRates[j] = 1 / (1 + Math.exp(-(logits[j] as number)));
}

/** Alpha moves after the step was scored, from what the judge said: a step is never scored with its own alpha. */
function moveAlpha(arm: Arm, met: Int32Array): void {
  const { settings, variances, alpha, rubric } = arm;
  for (let j = 0; j < met.length; j++) {
    const rate = (met[j] as number) / settings.num_generations;
    variances[j] = (variances[j] as number) + rate * (1 - rate);
  }
  arm.groups++;
  if (arm.groups < settings.alpha_interval) return;
  for (let j = 0; j < variances.length; j++) variances[j] = (variances[j] as number) / arm.groups;
  moveAlphas(alpha, variances, rubric, settings);
  writePressure(arm.pressure, alpha, rubric);
  variances.fill(0);
  arm.groups = 0;
}

function expectedScore({ yardstick, passRates }: Arm): number {
  return yardstick.reduce((sum, share, j) => sum + share * (passRates[j] as number), 0);
}

function meanWhere(values: ArrayLike<number>, flat: readonly boolean[], wanted: boolean): number {
  let sum = 0;
  let count = 0;
  for (let j = 0; j < flat.length; j++) {
    if (flat[j] !== wanted) continue;
    sum += values[j] as number;
    count++;
  }
  return count === 0 ? Number.NaN : sum / count;
}
