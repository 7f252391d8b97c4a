/**
 * The simulator through the trainer's own rules, an object a verdict and nothing shared with domain/simulator but the
 * world and the random streams: what the fast form is held to, and measured against.
 */
import { createRng } from "../base/rng.ts";
import { categoryBalancedReward } from "../domain/reward/category-balanced.ts";
import { alphaFor, endEpoch, initialPow3rState, updateAlpha } from "../domain/reward/pow3r-alpha.ts";
import { rewardRules } from "../domain/reward/registry.ts";
import { scoreGroups } from "../domain/reward/score-groups.ts";
import { pow3rConfigSchema, type RewardRuleName } from "../domain/run/spec.ts";
import type { SimulatorSettings } from "../domain/simulator/settings.ts";
import { drawWorld } from "../domain/simulator/world.ts";

interface PlainStep {
  readonly score: number;
  readonly alpha: readonly number[];
}

/** Score and alpha after 0, 1, 2 ... updates. */
export function plainRun(settings: SimulatorSettings, rule: RewardRuleName, seed: number): PlainStep[] {
  const { criteria, passRates } = drawWorld(settings, seed);
  const [rollouts, noise] = [createRng(seed, "rollouts"), createRng(seed, "judge-noise")];
  const size = settings.num_generations;
  const { lambda, alpha_min, alpha_max, beta_ema, epsilon } = settings;
  const config = pow3rConfigSchema.parse({ lambda, alpha_min, alpha_max, beta_ema, epsilon });
  const learnsAlpha = rewardRules[rule].learnsAlpha;
  let logits = passRates.map((p) => Math.log(p / (1 - p)));
  let state = initialPow3rState();
  const now = (): PlainStep => {
    const verdicts = logits.map(sigmoid);
    const score = categoryBalancedReward({ criteria, verdicts, alpha: [] }).total ?? Number.NaN;
    return { score, alpha: alphaFor(state, "all", criteria) };
  };
  const steps = [now()];
  for (let step = 1; step <= settings.steps; step++) {
    const p = logits.map(sigmoid);
    const own = Array.from({ length: size }, () => p.map((rate) => (rollouts.next() < rate ? 1 : 0)));
    const verdicts = own.map((row) =>
      row.map((verdict) =>
        settings.judgeNoise > 0 && noise.next() < settings.judgeNoise ? 1 - verdict : verdict,
      ),
    );
    const [group] = scoreGroups(rule, criteria, [{ verdicts, alpha: alphaFor(state, "all", criteria) }], {
      scale_rewards: settings.scale_rewards,
      zero_spread_tolerance: 1e-6,
    });
    logits = logits.map((logit, j) => {
      const terms = own.map((row, i) => (group?.advantages[i] ?? 0) * ((row[j] ?? 0) - (p[j] ?? 0)));
      return logit + (settings.stepSize * terms.reduce((sum, term) => sum + term, 0)) / size;
    });
    if (learnsAlpha) {
      state = updateAlpha(state, [{ scopeKey: "all", verdicts }], criteria, config);
      if (step % settings.alpha_interval === 0) state = endEpoch(state, criteria, config);
    }
    steps.push(now());
  }
  return steps;
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
