/** What a comparison teaches, as a kind and its numbers; the words stand in the texts. Pure. */
import { LITTLE_GAIN } from "../../../domain/experiment/map-reading.ts";
import type { RewardRuleName } from "../../../domain/run/spec.ts";
import type { Comparison, RuleSummary } from "../../../domain/simulator/compare-rules.ts";

type LessonKind =
  | "allFlat"
  | "noneFlat"
  | "balancing"
  | "noNoise"
  | "noNoiseSlower"
  | "faster"
  | "ahead"
  | "light"
  | "same"
  | "slower"
  | "never";

export interface Lesson {
  readonly kind: LessonKind;
  /** POW3R's, where it has one. */
  readonly speedUp: number | null;
  readonly steps: number | null;
  readonly reached: number;
  /** Static's own gain, where it is little beside a factor that is not 1. */
  readonly littleGain: number | null;
  /** GDPO falls behind by judge errors. */
  readonly gdpoBehind: boolean;
  /** Balancing's own speed-up, where it makes a difference. */
  readonly balanced: number | null;
}

/** Within these bounds a rule is about as fast as static. */
const SAME = { from: 0.9, to: 1.1 } as const;
/** Up to this weight flat criteria count as light. */
const LIGHT_WEIGHT = 2;

/** null where POW3R or static is not among the rules. */
export function lessonOf(comparison: Comparison): Lesson | null {
  const pow3r = ruleNamed(comparison, "pow3r");
  const statics = ruleNamed(comparison, "static-scalar");
  if (pow3r === undefined || statics === undefined) return null;
  const kind = kindOf(comparison, pow3r, statics);
  const goal = pow3r.stepsToBaseline;
  return {
    kind,
    speedUp: pow3r.speedUp,
    steps: goal?.median ?? null,
    reached: goal?.reached ?? 0,
    littleGain: saysFactor(kind) && statics.gain.mean < LITTLE_GAIN ? statics.gain.mean : null,
    gdpoBehind: isGdpoBehind(comparison),
    balanced: balancedFactor(comparison),
  };
}

function ruleNamed({ rules }: Comparison, name: RewardRuleName): RuleSummary | undefined {
  return rules.find(({ rule }) => rule === name);
}

function saysFactor(kind: LessonKind): boolean {
  return ["faster", "ahead", "balancing", "slower", "noNoiseSlower"].includes(kind);
}

function isGdpoBehind(comparison: Comparison): boolean {
  const gdpo = ruleNamed(comparison, "gdpo");
  return gdpo !== undefined && comparison.settings.judgeNoise > 0 && (gdpo.speedUp ?? 0) < SAME.from;
}

function balancedFactor(comparison: Comparison): number | null {
  const factor = ruleNamed(comparison, "category-balanced")?.speedUp ?? null;
  return factor !== null && !isSame(factor) ? factor : null;
}

function isSame(speedUp: number): boolean {
  return speedUp >= SAME.from && speedUp <= SAME.to;
}

/** POW3R is faster than static, and balancing alone nearly as fast. */
function isDoneByBalancing(comparison: Comparison, speedUp: number): boolean {
  const balanced = balancedFactor(comparison);
  return balanced !== null && balanced > SAME.to && speedUp > SAME.to && speedUp < balanced * SAME.to;
}

function kindOf(comparison: Comparison, pow3r: RuleSummary, statics: RuleSummary): LessonKind {
  if (statics.finalMixed === null) return "allFlat";
  if (pow3r.speedUp === null) return "never";
  if (isDoneByBalancing(comparison, pow3r.speedUp)) return "balancing";
  return comparison.settings.judgeNoise === 0
    ? kindOfPerfectJudge(comparison, pow3r.speedUp)
    : kindOfCarelessJudge(comparison, pow3r.speedUp);
}

function kindOfPerfectJudge({ settings }: Comparison, speedUp: number): LessonKind {
  if (speedUp < SAME.from) return "noNoiseSlower";
  if (speedUp > SAME.to) return "ahead";
  return settings.flatShare === 0 ? "noneFlat" : "noNoise";
}

function kindOfCarelessJudge({ settings }: Comparison, speedUp: number): LessonKind {
  const light = settings.flatWeight <= LIGHT_WEIGHT;
  if (speedUp < SAME.from) return "slower";
  if (speedUp > SAME.to) return light ? "ahead" : "faster";
  if (settings.flatShare === 0) return "noneFlat";
  return light ? "light" : "same";
}
