/** What a comparison teaches, as a kind and its numbers; the words stand in the texts. Pure. */
import { LITTLE_GAIN } from "../../../domain/experiment/map-reading.ts";
import type { RewardRuleName } from "../../../domain/run/spec.ts";
import type { Comparison, RuleSummary } from "../../../domain/simulator/compare-rules.ts";

type LessonKind = "allFlat" | "noNoise" | "noNoiseSlower" | "faster" | "light" | "same" | "slower" | "never";

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
  return kind === "faster" || kind === "slower" || kind === "noNoiseSlower";
}

function isGdpoBehind(comparison: Comparison): boolean {
  const gdpo = ruleNamed(comparison, "gdpo");
  return gdpo !== undefined && comparison.settings.judgeNoise > 0 && (gdpo.speedUp ?? 0) < SAME.from;
}

function balancedFactor(comparison: Comparison): number | null {
  const factor = ruleNamed(comparison, "category-balanced")?.speedUp ?? null;
  return factor !== null && (factor < SAME.from || factor > SAME.to) ? factor : null;
}

function kindOf({ settings }: Comparison, pow3r: RuleSummary, statics: RuleSummary): LessonKind {
  if (statics.finalMixed === null) return "allFlat";
  const { speedUp } = pow3r;
  if (speedUp === null) return "never";
  const perfect = settings.judgeNoise === 0;
  if (speedUp > SAME.to) return perfect || settings.flatWeight <= LIGHT_WEIGHT ? "same" : "faster";
  if (speedUp < SAME.from) return perfect ? "noNoiseSlower" : "slower";
  if (perfect) return "noNoise";
  return settings.flatWeight <= LIGHT_WEIGHT ? "light" : "same";
}
