/**
 * The simulator's rubric and the policy it starts from: C independent Bernoulli criteria with a logit each, flat ones
 * (pass rate .004 or .99, with equal chance) and mixed ones (uniform in .1-.4), by methods.md section 1, "What to expect".
 */
import { createRng } from "../../base/rng.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { SimulatorSettings } from "./settings.ts";

const DEAD_RATE = 0.004;
const SATURATED_RATE = 0.99;

export interface World {
  /** As every reward rule reads them. */
  readonly criteria: readonly Criterion[];
  /** [C]: nearly always met or nearly never, at the start. */
  readonly flat: readonly boolean[];
  /** [C]: pass rates at the start. */
  readonly passRates: readonly number[];
}

/** The world of one seed; the same for every rule. */
export function drawWorld(settings: SimulatorSettings, seed: number): World {
  const rng = createRng(seed, "world");
  const flat = flatCriteria(settings);
  const passRates = flat.map((isFlat) => {
    const draw = rng.next();
    if (!isFlat) return 0.1 + 0.3 * draw;
    return draw < 0.5 ? DEAD_RATE : SATURATED_RATE;
  });
  const criteria = flat.map((isFlat, index) => criterion(settings, index, isFlat));
  return { criteria, flat, passRates };
}

function criterion(settings: SimulatorSettings, index: number, flat: boolean): Criterion {
  return {
    id: `c${index}`,
    text: `criterion ${index}`,
    category: `category ${categoryOf(settings, index)}`,
    weight: flat ? settings.flatWeight : 1,
    required: false,
    veto: false,
    check: null,
  };
}

/** Categories follow each other; their sizes differ by one at most. */
function categoryOf({ categories, criteria }: SimulatorSettings, index: number): number {
  return Math.floor((index * categories) / criteria);
}

/** Which criteria are flat: the first ones of each category, or the first ones of all. */
function flatCriteria(settings: SimulatorSettings): boolean[] {
  const { criteria, flatShare, flatPlaces } = settings;
  const indices = Array.from({ length: criteria }, (_, index) => index);
  if (flatPlaces === "gathered") return indices.map((index) => index < Math.round(flatShare * criteria));
  return indices.map((index) => {
    const own = indices.filter((other) => categoryOf(settings, other) === categoryOf(settings, index));
    const first = own[0] ?? 0;
    // rounded over the categories so far, so that the whole rubric keeps its share
    const upTo = (end: number): number => Math.round(flatShare * end);
    return index - first < upTo(first + own.length) - upTo(first);
  });
}
