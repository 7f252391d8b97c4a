/**
 * How far a judge agrees with what is known of the same answers: accuracy, and Cohen's kappa (J. Cohen, "A coefficient of agreement
 * for nominal scales", 1960), which takes off what two raters agree on by chance. Pure.
 */
import type { Verdict } from "./verdicts.ts";

/** One answer under one criterion. */
export interface RatedPair {
  readonly judge: Verdict;
  readonly truth: Verdict;
  /** The judge's probability of a 1; null where it tells none. */
  readonly pYes: number | null;
}

interface Agreement {
  /** Pairs that both rated. */
  readonly n: number;
  /** Pairs that one of them did not rate. */
  readonly missing: number;
  /** Share of pairs rated alike; null without pairs. */
  readonly accuracy: number | null;
  /** 1 = always alike, 0 = as by chance; null where chance alone would always agree (both say the same of everything). */
  readonly kappa: number | null;
  /** Pairs by what both say. */
  readonly both: number;
  readonly judgeOnly: number;
  readonly truthOnly: number;
  readonly neither: number;
}

/** A verdict between 0 and 1 counts as met from one half on. */
const isMet = (verdict: number): boolean => verdict >= 0.5;

export function agreementOf(pairs: readonly RatedPair[]): Agreement {
  const counts = { both: 0, judgeOnly: 0, truthOnly: 0, neither: 0 };
  let missing = 0;
  for (const { judge, truth } of pairs) {
    if (judge === null || truth === null) missing++;
    else if (isMet(judge)) counts[isMet(truth) ? "both" : "judgeOnly"]++;
    else counts[isMet(truth) ? "truthOnly" : "neither"]++;
  }
  const n = pairs.length - missing;
  const accuracy = n === 0 ? null : (counts.both + counts.neither) / n;
  return { n, missing, accuracy, kappa: kappaOf(counts), ...counts };
}

/** (p_o - p_e) / (1 - p_e), p_e of both raters' own shares, in whole numbers: no more than chance is exactly 0. */
function kappaOf({
  both,
  judgeOnly,
  truthOnly,
  neither,
}: Pick<Agreement, "both" | "judgeOnly" | "truthOnly" | "neither">): number | null {
  const unlikeByChance =
    (both + judgeOnly) * (judgeOnly + neither) + (both + truthOnly) * (truthOnly + neither);
  return unlikeByChance === 0 ? null : (2 * (both * neither - judgeOnly * truthOnly)) / unlikeByChance;
}

/** Pairs whose pYes lies in [from, to). */
interface CalibrationBin {
  readonly from: number;
  readonly to: number;
  readonly n: number;
  /** Mean pYes, and the share that is met in truth; null without pairs. */
  readonly said: number | null;
  readonly met: number | null;
}

export interface Calibration {
  readonly bins: readonly CalibrationBin[];
  /** Expected calibration error: mean distance of said and met, by the bins' sizes. */
  readonly error: number;
  /** The threshold on pYes that would agree best on these pairs, and its accuracy. */
  readonly bestThreshold: number;
  readonly bestAccuracy: number;
}

const BINS = 5;

/** null without pairs whose pYes is known. */
export function calibrationOf(pairs: readonly RatedPair[]): Calibration | null {
  const known = pairs.flatMap(({ pYes, truth }) =>
    pYes === null || truth === null ? [] : [{ pYes, met: isMet(truth) }],
  );
  if (known.length === 0) return null;
  const bins = Array.from({ length: BINS }, (_, i) => {
    const from = i / BINS;
    const to = (i + 1) / BINS;
    const own = known.filter(({ pYes }) => pYes >= from && (pYes < to || (i === BINS - 1 && pYes === 1)));
    const share = (value: (one: (typeof known)[number]) => number): number | null =>
      own.length === 0 ? null : own.reduce((sum, one) => sum + value(one), 0) / own.length;
    return {
      from,
      to,
      n: own.length,
      said: share(({ pYes }) => pYes),
      met: share(({ met }) => (met ? 1 : 0)),
    };
  });
  const error = bins.reduce((sum, { n, said, met }) => sum + n * Math.abs((said ?? 0) - (met ?? 0)), 0);
  return { bins, error: error / known.length, ...bestThreshold(known) };
}

/** Between two neighbouring chances, or beyond all of them; of equals the one nearest to one half. */
function bestThreshold(known: readonly { readonly pYes: number; readonly met: boolean }[]) {
  const sorted = [...new Set(known.map(({ pYes }) => pYes))].sort((a, b) => a - b);
  const between = sorted.slice(1).map((pYes, i) => (pYes + (sorted[i] ?? 0)) / 2);
  const candidates = [0.5, ...between, (sorted[0] ?? 0) / 2, (1 + (sorted.at(-1) ?? 1)) / 2]
    .filter((threshold) => threshold > 0 && threshold < 1)
    .sort((a, b) => Math.abs(a - 0.5) - Math.abs(b - 0.5));
  const accuracyAt = (threshold: number): number =>
    known.filter(({ pYes, met }) => pYes >= threshold === met).length / known.length;
  const start = { bestThreshold: 0.5, bestAccuracy: accuracyAt(0.5) };
  return candidates.reduce((best, threshold) => {
    const accuracy = accuracyAt(threshold);
    return accuracy > best.bestAccuracy ? { bestThreshold: threshold, bestAccuracy: accuracy } : best;
  }, start);
}
