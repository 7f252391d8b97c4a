import { describe, expect, it } from "vitest";
import {
  caseRng,
  makeCriteria,
  randomCriteria,
  randomVerdicts,
  vectorCriteria,
  vectorVerdicts,
} from "../../testing/criteria.ts";
import { pow3rConfigSchema, type Pow3rConfig } from "../run/spec.ts";
import { alphaFor, endEpoch, initialPow3rState, nextAlpha, scopeKeyOf, updateAlpha } from "./pow3r-alpha.ts";

const STEP: Pow3rConfig = pow3rConfigSchema.parse({ alpha_update: "step" });
const EPOCH: Pow3rConfig = pow3rConfigSchema.parse({});
const KEY = "scenario";
const observed = [{ scopeKey: KEY, verdicts: vectorVerdicts }];

function digits(values: readonly number[]): number[] {
  return values.map((value) => Number(value.toFixed(6)));
}

describe("the update of alpha", () => {
  it("gives the printed values of methods.md", () => {
    const state = updateAlpha(initialPow3rState(), observed, vectorCriteria, STEP);
    expect(digits(alphaFor(state, KEY, vectorCriteria))).toEqual([0.765921, 1.5, 0.765921, 1]);
    // beta_ema 1 leaves ahat itself
    const target = updateAlpha(initialPow3rState(), observed, vectorCriteria, { ...STEP, beta_ema: 1 });
    expect(digits(alphaFor(target, KEY, vectorCriteria))).toEqual([0.531841, 2, 0.531841, 1]);
  });

  it("weighs contrasts by w, mixes by lambda and moves from where alpha stood", () => {
    const config = { ...STEP, lambda: 0.5, beta_ema: 0.5, alpha_min: 0.1, alpha_max: 10, epsilon: 1e-12 };
    const update = { criteria: makeCriteria([1, 3], "AA"), variances: [0.25, 0.09], alpha: [2, 0.5] };
    // contrasts .5 and .3, mean (.5 + 3 * .3) / 4 = .35; 1 + (1/2) (1/2 + 10/14), 1/4 + (1/2) (1/2 + 6/14)
    expect(digits(nextAlpha(update, config))).toEqual([1.607143, 0.714286]);
  });

  it("starts at 1 and leaves the state it came from alone", () => {
    const start = initialPow3rState();
    updateAlpha(start, observed, vectorCriteria, STEP);
    expect(alphaFor(start, KEY, vectorCriteria)).toEqual([1, 1, 1, 1]);
  });

  it("stays in its bounds over many random steps", () => {
    for (let index = 0; index < 40; index++) {
      const rng = caseRng("bounds", index);
      const criteria = randomCriteria(rng);
      const config = {
        ...STEP,
        alpha_min: 0.2 + 0.8 * rng.next(),
        alpha_max: 1 + 5 * rng.next(),
        lambda: rng.next(),
      };
      let state = initialPow3rState();
      for (let step = 0; step < 20; step++) {
        const verdicts = Array.from({ length: 8 }, () => randomVerdicts(rng, criteria.length, 0.2));
        state = updateAlpha(state, [{ scopeKey: KEY, verdicts }], criteria, config);
      }
      for (const alpha of alphaFor(state, KEY, criteria)) {
        expect(alpha).toBeGreaterThanOrEqual(config.alpha_min);
        expect(alpha).toBeLessThanOrEqual(config.alpha_max);
      }
    }
  });

  it("lets a flat category drift to 1, not to the floor", () => {
    const criteria = makeCriteria([1, 5], "AA");
    const flat = Array.from({ length: 4 }, () => [1, 0]);
    let state = updateAlpha(
      initialPow3rState(),
      [
        {
          scopeKey: KEY,
          verdicts: [
            [1, 0],
            [0, 0],
            [1, 0],
            [0, 0],
          ],
        },
      ],
      criteria,
      STEP,
    );
    expect(alphaFor(state, KEY, criteria)[0]).toBe(1.5);
    for (let step = 0; step < 30; step++) {
      state = updateAlpha(state, [{ scopeKey: KEY, verdicts: flat }], criteria, STEP);
    }
    for (const alpha of alphaFor(state, KEY, criteria)) expect(alpha).toBeCloseTo(1, 6);
  });

  it("takes equal graded verdicts as flat", () => {
    // with these weights the mean of equal contrasts is not quite the contrast
    const criteria = makeCriteria([3, 5, 7], "AAA");
    const verdicts = Array.from({ length: 7 }, () => [0.1, 0.7, 1]);
    const whole = { ...STEP, beta_ema: 1 };
    const state = updateAlpha(initialPow3rState(), [{ scopeKey: KEY, verdicts }], criteria, whole);
    expect(alphaFor(state, KEY, criteria)).toEqual([1, 1, 1]);
  });
});

describe("criteria with too few verdicts", () => {
  const criteria = makeCriteria([5, 3, 2], "AAA");
  const verdicts = [
    [1, 1, null],
    [0, 1, null],
    [1, 1, 1],
    [0, 1, 0],
  ];

  it("keep alpha and stay out of the mean contrast", () => {
    const kept = { ...STEP, min_valid_share: 0.75 };
    const update = { criteria, variances: [0.25, 0, null], alpha: [1, 1, 1.3] };
    const state = updateAlpha(initialPow3rState(), [{ scopeKey: KEY, verdicts }], criteria, kept);
    expect(alphaFor(state, KEY, criteria)).toEqual(nextAlpha({ ...update, alpha: [1, 1, 1] }, kept));
    expect(nextAlpha(update, kept)[2]).toBe(1.3);
    const withoutThird = nextAlpha(
      { criteria: criteria.slice(0, 2), variances: [0.25, 0], alpha: [1, 1] },
      kept,
    );
    expect(nextAlpha(update, kept).slice(0, 2)).toEqual(withoutThird);
  });

  it("keep alpha without any verdict, however small the share that is asked for", () => {
    const none = verdicts.map(([first, second]) => [first ?? null, second ?? null, null]);
    const state = updateAlpha(initialPow3rState(), [{ scopeKey: KEY, verdicts: none }], criteria, {
      ...STEP,
      min_valid_share: 0,
    });
    expect(alphaFor(state, KEY, criteria)).toEqual(
      nextAlpha({ criteria, variances: [0.25, 0, null], alpha: [1, 1, 1] }, STEP),
    );
  });

  it("count from three of four verdicts on", () => {
    const three = verdicts.map((row, i) => (i === 0 ? [1, 1, 0] : row));
    const state = updateAlpha(initialPow3rState(), [{ scopeKey: KEY, verdicts: three }], criteria, STEP);
    expect(alphaFor(state, KEY, criteria)[2]).not.toBe(1);
  });
});

describe("one alpha for several groups", () => {
  it("takes the mean of the within-group variances, not the variance over all", () => {
    const criteria = makeCriteria([1, 1], "AA");
    const groups = [
      [
        [1, 1],
        [1, 0],
      ],
      [
        [0, 1],
        [1, 0],
      ],
    ];
    const observations = groups.map((verdicts) => ({ scopeKey: KEY, verdicts }));
    const state = updateAlpha(initialPow3rState(), observations, criteria, STEP);
    expect(alphaFor(state, KEY, criteria)).toEqual(
      nextAlpha({ criteria, variances: [0.125, 0.25], alpha: [1, 1] }, STEP),
    );
  });

  it("keeps each prompt's own where the scope is the prompt", () => {
    const config: Pow3rConfig = { ...STEP, alpha_scope: "prompt" };
    const keys = ["p1", "p2"].map((id) => scopeKeyOf(id, config));
    const criteria = makeCriteria([1, 1], "AA");
    const state = updateAlpha(
      initialPow3rState(),
      [
        {
          scopeKey: keys[0] ?? "",
          verdicts: [
            [1, 1],
            [1, 0],
          ],
        },
        {
          scopeKey: keys[1] ?? "",
          verdicts: [
            [1, 1],
            [0, 1],
          ],
        },
      ],
      criteria,
      config,
    );
    expect(alphaFor(state, keys[0] ?? "", criteria)).toEqual(
      [...alphaFor(state, keys[1] ?? "", criteria)].reverse(),
    );
    expect(alphaFor(state, keys[0] ?? "", criteria)[1]).toBeGreaterThan(1);
    expect(scopeKeyOf("p1", STEP)).toBe(scopeKeyOf("p2", STEP));
  });
});

describe("updates after an epoch", () => {
  it("wait for its end and pool its groups", () => {
    let state = updateAlpha(initialPow3rState(), observed, vectorCriteria, EPOCH);
    state = updateAlpha(state, observed, vectorCriteria, EPOCH);
    expect(alphaFor(state, KEY, vectorCriteria)).toEqual([1, 1, 1, 1]);
    state = endEpoch(state, vectorCriteria, EPOCH);
    expect(digits(alphaFor(state, KEY, vectorCriteria))).toEqual([0.765921, 1.5, 0.765921, 1]);
    // nothing waits any more
    expect(endEpoch(state, vectorCriteria, EPOCH)).toEqual(state);
  });
});

describe("updates after every few steps", () => {
  const THIRD: Pow3rConfig = { ...STEP, alpha_interval: 3 };

  it("wait for the interval's last step and pool its groups, whatever the epoch does", () => {
    let state = initialPow3rState();
    for (let step = 1; step <= 2; step++) {
      state = updateAlpha(state, observed, vectorCriteria, THIRD);
      state = endEpoch(JSON.parse(JSON.stringify(state)) as typeof state, vectorCriteria, THIRD);
      expect(alphaFor(state, KEY, vectorCriteria)).toEqual([1, 1, 1, 1]);
    }
    const quiet = [{ scopeKey: KEY, verdicts: vectorVerdicts.map(() => [1, 1, 0, 1]) }];
    state = updateAlpha(state, quiet, vectorCriteria, THIRD);
    // means of the variances of three groups, two of them the vector's
    const variances = [0, 0.25, 0, 0.1875].map((variance) => (2 * variance) / 3);
    const pooled = nextAlpha({ criteria: vectorCriteria, variances, alpha: [1, 1, 1, 1] }, THIRD);
    expect(alphaFor(state, KEY, vectorCriteria)).toEqual(pooled);
    expect(updateAlpha(state, observed, vectorCriteria, THIRD).alphas).toEqual(state.alphas);
  });
});

describe("through edits and files", () => {
  const trained = updateAlpha(initialPow3rState(), observed, vectorCriteria, STEP);

  it("unchanged criteria keep alpha, through a weight edit too; new and changed ones start at 1", () => {
    const edited = [
      ...vectorCriteria.map((criterion, index) => {
        if (index === 0) return { ...criterion, weight: 1 };
        return index === 2 ? { ...criterion, text: "something else" } : criterion;
      }),
      ...makeCriteria([1, 1, 1, 1, 1], "AAAAA").slice(4),
    ].reverse();
    expect(digits(alphaFor(trained, KEY, edited))).toEqual([1, 1, 1, 1.5, 0.765921]);
  });

  it("survives JSON", () => {
    expect(JSON.parse(JSON.stringify(trained))).toEqual(trained);
  });
});
