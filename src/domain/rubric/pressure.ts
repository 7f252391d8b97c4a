/**
 * Rubric pressure: where the reward's weight goes, and whether it falls on criteria that can teach (methods.md
 * section 1, "Diagnostic"; formulas [ours]). Each rule's own shares stand in its file under reward/.
 */
import { criteriaFor, isRewarded } from "./criteria.ts";
import { meanOf, type Maybe } from "./moments.ts";
import type { Criterion } from "./schema.ts";

/**
 * Each criterion's share, meaned over several rewards that need not hold the same criteria: prompts with criteria of their
 * own. Sums to 1.
 *
 * @param shares one list a reward, in the rubric's order; null: a reward of nothing, left out
 * @returns null where every one is
 */
export function meanPressure(shares: readonly (readonly number[] | null)[]): number[] | null {
  const there = shares.filter((share): share is readonly number[] => share !== null);
  return there[0]?.map((_, index) => meanOf(there.map((share) => share[index] ?? 0)) ?? 0) ?? null;
}

/**
 * Each criterion's share of a reward over these prompts; null where none of them rewards anything.
 *
 * @param pressure a rule's shares, at the alpha that is meant
 */
export function pressureOverPrompts(
  pressure: (criteria: readonly Criterion[]) => number[],
  criteria: readonly Criterion[],
  promptIds: readonly string[],
): number[] | null {
  const shared = criteria.every(({ prompts }) => prompts === undefined);
  const rewards = shared ? [criteria] : promptIds.map((id) => criteriaFor(criteria, id));
  return meanPressure(rewards.map((own) => (own.some(isRewarded) ? pressure(own) : null)));
}

/** pressure * sqrt(v_j): weight that meets a difference among the rollouts; missing where v_j is. */
export function contrastWeightedPressure(pressure: readonly number[], variances: readonly Maybe[]): Maybe[] {
  return pressure.map((share, index) => {
    const variance = variances[index] ?? null;
    return variance === null ? null : share * Math.sqrt(variance);
  });
}

/**
 * True when flipped verdicts made most of a variance: without them it was p(1 - p) at most, and that is less than half.
 *
 * @param passRate before the flips
 */
export function isMostlyNoise(variance: Maybe, passRate: Maybe): boolean {
  return variance !== null && passRate !== null && passRate * (1 - passRate) < variance / 2;
}

/** Sum of the pressure on criteria whose flag is one of the states asked for. */
export function shareOnState<State extends string>(
  criteria: readonly { readonly pressure: number; readonly state: State }[],
  state: State,
): number {
  return criteria.reduce((sum, criterion) => sum + (criterion.state === state ? criterion.pressure : 0), 0);
}

/** Pearson correlation of human weight and variance over the rewarded criteria; null when it has no value. */
export function weightVarianceCorrelation(
  criteria: readonly Criterion[],
  variances: readonly Maybe[],
): Maybe {
  const pairs = criteria.flatMap((criterion, index) => {
    const variance = variances[index] ?? null;
    return variance === null || !isRewarded(criterion) ? [] : [[criterion.weight, variance] as const];
  });
  return pearson(pairs);
}

function pearson(pairs: readonly (readonly [number, number])[]): Maybe {
  const meanX = pairs.reduce((sum, [x]) => sum + x, 0) / pairs.length;
  const meanY = pairs.reduce((sum, [, y]) => sum + y, 0) / pairs.length;
  let xy = 0;
  let xx = 0;
  let yy = 0;
  for (const [x, y] of pairs) {
    xy += (x - meanX) * (y - meanY);
    xx += (x - meanX) ** 2;
    yy += (y - meanY) ** 2;
  }
  const scale = Math.sqrt(xx * yy);
  return pairs.length < 2 || scale < Number.EPSILON ? null : xy / scale;
}
