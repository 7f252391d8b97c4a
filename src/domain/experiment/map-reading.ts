/** How a cell of the map is read: what is faster, what is slower, and where a speed-up says little. */
import type { MapArm, MapCell } from "./map-data.ts";

/** Under this gain of the baseline itself, a speed-up is a ratio of small things: the absolute gain stands beside it. */
export const LITTLE_GAIN = 0.03;

/** Factors of speed or steps of score that are told apart by eye: from clearly worse (-2) over the same (0) to far better (3). */
export type Tone = -2 | -1 | 0 | 1 | 2 | 3;

export interface CellReading {
  /** goal step / median step to the baseline's score; null: most seeds never reach it. */
  readonly speedUp: number | null;
  /** The same at the ends of the interval of the median step; null: never. */
  readonly slowest: number | null;
  readonly fastest: number | null;
  /** Seeds that reach it at all. */
  readonly reached: number;
  /** At the last step. */
  readonly score: number;
  /** Final score minus the baseline's. */
  readonly ahead: number;
  readonly gain: number;
  readonly baselineGain: number;
  /** The baseline itself gains little here. */
  readonly little: boolean;
  readonly speedTone: Tone;
  readonly scoreTone: Tone;
}

/** The reading of one arm in a cell; null where the cell has no such arm or was not timed. */
export function readCell(cell: MapCell, baseline: string, arm: string): CellReading | null {
  const own = cell.arms.find((other) => other.arm === arm);
  const reference = cell.arms.find((other) => other.arm === baseline);
  if (own === undefined || reference === undefined) return null;
  const ahead = own.finalScore.mean - reference.finalScore.mean;
  return {
    ...speeds(own, cell.goalStep),
    score: own.finalScore.mean,
    ahead,
    gain: own.gain.mean,
    baselineGain: reference.gain.mean,
    little: reference.gain.mean < LITTLE_GAIN,
    speedTone: own.speedUp === null ? -2 : toneOf(own.speedUp, [0.67, 0.9, 1.1, 1.5, 2.5]),
    scoreTone: toneOf(ahead, [-0.015, -0.003, 0.003, 0.015, 0.03]),
  };
}

function speeds(
  arm: MapArm,
  goalStep: number,
): Pick<CellReading, "speedUp" | "slowest" | "fastest" | "reached"> {
  const over = (step: number | null | undefined): number | null =>
    step === null || step === undefined || step === 0 ? null : goalStep / step;
  const { low, high, reached = 0 } = arm.stepsToBaseline ?? {};
  return { speedUp: arm.speedUp, slowest: over(high), fastest: over(low), reached };
}

/** The tone between rising bounds: below the first -2, above the last 3. */
function toneOf(value: number, bounds: readonly number[]): Tone {
  const above = bounds.filter((bound) => value >= bound).length;
  return ([-2, -1, 0, 1, 2, 3] as const)[above] ?? 0;
}
