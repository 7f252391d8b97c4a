/**
 * Rubric pressure: where the reward's weight goes, and whether it falls on criteria that can teach (methods.md
 * section 1, "Diagnostic"; formulas [ours]). Each rule's own shares stand in its file under reward/.
 */
import type { Maybe } from "./moments.ts";
import { isRewarded } from "./criteria.ts";
import type { Criterion } from "./schema.ts";

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
