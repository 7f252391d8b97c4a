import { describe, expect, it } from "vitest";
import {
  caseRng,
  makeCriteria,
  randomCriteria,
  randomVerdicts,
  vectorCriteria,
  vectorVerdicts,
} from "../../testing/criteria.ts";
import { present } from "../rubric/moments.ts";
import { pow3rConfigSchema, rewardRuleNames } from "../run/spec.ts";
import { binaryReward } from "./binary.ts";
import { categoryBalancedReward } from "./category-balanced.ts";
import { nextAlpha } from "./pow3r-alpha.ts";
import { pow3rPressure, pow3rReward } from "./pow3r.ts";
import { rewardRules } from "./registry.ts";
import type { RewardRuleDef } from "./reward.ts";
import { scoreGroups } from "./score-groups.ts";
import { staticScalarReward } from "./static-scalar.ts";

/** What one update makes of the vector's own verdicts; pow3r-alpha.test.ts checks its digits. */
function nextVectorAlpha(): number[] {
  const variances = [0, 0.25, 0, 0.1875];
  return nextAlpha({ criteria: vectorCriteria, variances, alpha: ONES }, pow3rConfigSchema.parse({}));
}
const ONES = [1, 1, 1, 1];
const EXACT = { scale_rewards: "group", zero_spread_tolerance: 0 } as const;

function expectDigits(got: readonly (number | null)[], wanted: readonly number[], digits: number): void {
  expect(got.map((value) => (value === null ? null : Number(value.toFixed(digits))))).toEqual(wanted);
}

describe("the test vector of methods.md", () => {
  const totals = (rule: (typeof rewardRuleNames)[number], alpha: readonly number[]) =>
    scoreGroups(rule, vectorCriteria, [{ verdicts: vectorVerdicts, alpha }], EXACT)[0];

  it("gives the printed rewards", () => {
    const rewardsOf = (group: ReturnType<typeof totals>) =>
      group?.rewards.map((reward) => reward.total) ?? [];
    expectDigits(rewardsOf(totals("category-balanced", ONES)), [0.9, 0.25, 0.9, 0.75], 6);
    expectDigits(rewardsOf(totals("static-scalar", ONES)), [0.857143, 0.357143, 0.857143, 0.642857], 6);
    expectDigits(rewardsOf(totals("pow3r", nextVectorAlpha())), [0.922332, 0.19417, 0.922332, 0.69417], 6);
  });

  it("gives the printed advantages", () => {
    expectDigits(totals("static-scalar", ONES)?.advantages ?? [], [0.7535, -1.3562, 0.7535, -0.1507], 4);
    expectDigits(totals("category-balanced", ONES)?.advantages ?? [], [0.6487, -1.4595, 0.6487, 0.1622], 4);
    expectDigits(totals("pow3r", nextVectorAlpha())?.advantages ?? [], [0.6961, -1.4241, 0.6961, 0.0318], 4);
    expectDigits(totals("gdpo", ONES)?.advantages ?? [], [0.7376, -1.3793, 0.7376, -0.096], 4);
  });

  it("gives the printed group spreads (population form)", () => {
    const population = (std: number | null | undefined) => (std ?? NaN) * Math.sqrt(3 / 4);
    expect(population(totals("pow3r", nextVectorAlpha())?.rewardStd).toFixed(4)).toBe("0.2973");
    expect(population(totals("category-balanced", ONES)?.rewardStd).toFixed(4)).toBe("0.2669");
  });

  it("names the categories as parts", () => {
    const [, second] = totals("category-balanced", ONES)?.rewards ?? [];
    expect(second?.parts).toEqual({ A: 0.5, B: 0 });
  });
});

describe("missing verdicts", () => {
  const criteria = makeCriteria([2, 3, 5, 4], "AAAB");

  it("leave the criterion out of numerator and divisor", () => {
    const input = { criteria, verdicts: [1, null, 0, 1], alpha: ONES };
    expect(staticScalarReward(input).total).toBeCloseTo(6 / 11, 12);
    expect(categoryBalancedReward(input).total).toBeCloseTo((2 / 7 + 1) / 2, 12);
    expect(pow3rReward({ ...input, alpha: [2, 1, 0.5, 1] }).total).toBeCloseTo((4 / 6.5 + 1) / 2, 12);
  });

  it("take a category without a verdict out of the mean", () => {
    const input = { criteria, verdicts: [1, 0, 1, null], alpha: ONES };
    expect(categoryBalancedReward(input)).toEqual({ total: 0.7, parts: { A: 0.7, B: null } });
    expect(staticScalarReward(input)).toEqual({ total: 0.7, parts: { A: 0.7, B: null } });
  });

  it("make the reward missing when there is none at all, by every rule", () => {
    for (const name of rewardRuleNames) {
      const reward = rewardRules[name].reward({ criteria, verdicts: [null, null, null, null], alpha: ONES });
      expect(reward.total, name).toBeNull();
    }
  });
});

describe("the binary reward", () => {
  const plain = makeCriteria([1, 1, 0], "ABC");
  const required = plain.map((criterion, index) => ({ ...criterion, required: index === 0 }));
  const binary = (criteria: typeof plain, verdicts: readonly (number | null)[]) =>
    binaryReward({ criteria, verdicts, alpha: [] });

  it("asks for the required criteria only", () => {
    expect(binary(required, [1, 0, 0])).toEqual({ total: 1, parts: { A: 1 } });
    expect(binary(required, [0, 1, 1]).total).toBe(0);
    expect(binary(required, [1, null, null]).total).toBe(1);
  });

  it("asks for every rewarded criterion where none is marked", () => {
    expect(binary(plain, [1, 1, 0]).total).toBe(1);
    expect(binary(plain, [1, 0, 1])).toEqual({ total: 0, parts: { A: 1, B: 0 } });
  });

  it("takes a graded verdict under 1 as not passed", () => {
    expect(binary(required, [0.99, 1, 1]).total).toBe(0);
  });

  it("is 0 in a category of which one criterion fails", () => {
    expect(binary(makeCriteria([1, 1, 1], "AAB"), [1, 0, 1])).toEqual({ total: 0, parts: { A: 0, B: 1 } });
  });

  it("is missing when a required verdict is missing, even beside a failed one", () => {
    const both = plain.map((criterion) => ({ ...criterion, required: true }));
    expect(binary(both, [0, null, 1]).total).toBeNull();
  });
});

describe("POW3R's pressure", () => {
  it("is w_j a_j of the category's, times 1/K", () => {
    expect(pow3rPressure(makeCriteria([1, 3, 2], "AAB"), [3, 1, 5])).toEqual([0.25, 0.25, 0.5]);
  });
});

describe("GDPO", () => {
  const gdpo = (weights: readonly number[], verdicts: readonly (readonly (number | null)[])[]) =>
    scoreGroups("gdpo", makeCriteria(weights, "A".repeat(weights.length)), [{ verdicts, alpha: [] }], {
      ...EXACT,
      zero_spread_tolerance: 1e-6,
    })[0];

  it("takes a row as missing whose only verdict is on a watched criterion", () => {
    const judged = gdpo([1], [[1], [0]])?.advantages ?? [];
    // z = .5 / (sqrt(.5) + 1e-4), and again over both
    expectDigits(judged, [0.707036, -0.707036], 6);
    expect(
      gdpo(
        [1, 0],
        [
          [1, 0],
          [0, 1],
          [null, 1],
        ],
      )?.advantages,
    ).toEqual([...judged, 0]);
  });

  it("takes sums that differ in the last digits as equal", () => {
    const group = gdpo(
      [1.1, 2.2, 3.3],
      [
        [1, 1, 0],
        [0, 0, 1],
      ],
    );
    expect(group?.advantages).toEqual([0, 0]);
    expect(group?.zeroSpread).toBe(true);
  });

  it("does not call one row a group without spread", () => {
    expect(gdpo([1], [[1], [null]])).toMatchObject({ advantages: [0, 0], zeroSpread: false });
  });
});

describe("for any weights, alpha and missing verdicts", () => {
  const cases = Array.from({ length: 300 }, (_, index) => index);

  it("a category's mass stays 1/K, and every rule's pressure sums to 1", () => {
    for (const index of cases) {
      const rng = caseRng("mass", index);
      const criteria = randomCriteria(rng);
      const alpha = criteria.map(() => 0.1 + 9.9 * rng.next());
      const pressure = pow3rPressure(criteria, alpha);
      const categories = new Set(criteria.filter((c) => c.weight > 0).map((c) => c.category));
      for (const name of categories) {
        const mass = pressure.reduce(
          (sum, share, j) => sum + (criteria[j]?.category === name ? share : 0),
          0,
        );
        expect(mass).toBeCloseTo(1 / categories.size, 12);
      }
      for (const name of rewardRuleNames) {
        const rule: RewardRuleDef = rewardRules[name];
        const sum = rule.pressure(criteria, alpha).reduce((total, share) => total + share, 0);
        expect(sum, name).toBeCloseTo(1, 12);
      }
    }
  });

  it("meeting a whole category moves POW3R's reward by 1/K of the categories judged, whatever alpha is", () => {
    for (const index of cases) {
      const rng = caseRng("swing", index);
      const criteria = randomCriteria(rng);
      const alpha = criteria.map(() => 0.1 + 9.9 * rng.next());
      const verdicts = randomVerdicts(rng, criteria.length, 0.3);
      const judged = new Set(
        criteria.filter((c, j) => c.weight > 0 && verdicts[j] !== null).map((c) => c.category),
      );
      for (const name of judged) {
        const withAll = (value: number) =>
          verdicts.map((verdict, j) =>
            criteria[j]?.category === name && verdict !== null ? value : verdict,
          );
        const met = pow3rReward({ criteria, verdicts: withAll(1), alpha }).total ?? NaN;
        const unmet = pow3rReward({ criteria, verdicts: withAll(0), alpha }).total ?? NaN;
        expect(met - unmet).toBeCloseTo(1 / judged.size, 12);
      }
    }
  });

  it("POW3R with every alpha at 1 is the balanced reward, and rewards stay in [0, 1]", () => {
    for (const index of cases) {
      const rng = caseRng("range", index);
      const criteria = randomCriteria(rng);
      const verdicts = randomVerdicts(rng, criteria.length, 0.4);
      const input = { criteria, verdicts, alpha: criteria.map(() => 1) };
      expect(pow3rReward(input)).toEqual(categoryBalancedReward(input));
      for (const name of rewardRuleNames) {
        const { total, parts } = rewardRules[name].reward(input);
        const outside = present([total, ...Object.values(parts)]).filter(
          (value) => value < 0 || value > 1 + 1e-12,
        );
        expect(outside).toEqual([]);
      }
    }
  });

  it("a criterion of weight 0 changes nothing", () => {
    for (const index of cases) {
      const rng = caseRng("watched", index);
      const criteria = randomCriteria(rng);
      const verdicts = randomVerdicts(rng, criteria.length, 0.2);
      const flipped = verdicts.map((verdict, j) =>
        verdict !== null && criteria[j]?.weight === 0 ? 1 - verdict : verdict,
      );
      for (const name of rewardRuleNames) {
        const score = (row: typeof verdicts) =>
          rewardRules[name].reward({ criteria, verdicts: row, alpha: [] });
        expect(score(flipped), name).toEqual(score(verdicts));
      }
    }
  });
});

describe("scoring groups", () => {
  it("gives equal rewards of different sums advantage 0 by the tolerance", () => {
    const criteria = makeCriteria([0.1, 0.2, 0.4, 0.3], "AAAA");
    const verdicts = [
      [1, 1, 0, 0],
      [0, 0, 0, 1],
      [1, 1, 0, 0],
      [0, 0, 0, 1],
    ];
    const groups = [{ verdicts, alpha: ONES }];
    const [tolerant] = scoreGroups("static-scalar", criteria, groups, {
      ...EXACT,
      zero_spread_tolerance: 1e-6,
    });
    expect(tolerant?.advantages).toEqual([0, 0, 0, 0]);
    expect(tolerant?.zeroSpread).toBe(true);
  });

  it("gives each group's mean and whether its rewards differ", () => {
    const scored = scoreGroups(
      "static-scalar",
      makeCriteria([1, 3], "AA"),
      [
        [
          [1, 0],
          [0, 1],
        ],
        [
          [1, 1],
          [1, 1],
        ],
      ].map((verdicts) => ({ verdicts, alpha: ONES })),
      EXACT,
    );
    expect(scored.map((group) => group.rewardMean)).toEqual([0.5, 1]);
    expect(scored.map((group) => group.zeroSpread)).toEqual([false, true]);
  });

  it("scores each group with its own alpha", () => {
    const criteria = makeCriteria([1, 1], "AA");
    const verdicts = [
      [1, 0],
      [0, 1],
    ];
    const scored = scoreGroups(
      "pow3r",
      criteria,
      [
        { verdicts, alpha: [3, 1] },
        { verdicts, alpha: [1, 3] },
      ],
      EXACT,
    );
    expect(scored.map((group) => group.rewards.map((reward) => reward.total))).toEqual([
      [0.75, 0.25],
      [0.25, 0.75],
    ]);
  });

  it("tells GDPO's groups without spread from those with", () => {
    const criteria = makeCriteria([1, 2], "AB");
    const flat = [
      [1, 0],
      [1, 0],
    ];
    const mixed = [
      [1, 0],
      [0, 0],
    ];
    const scored = scoreGroups(
      "gdpo",
      criteria,
      [flat, mixed].map((verdicts) => ({ verdicts, alpha: ONES })),
      EXACT,
    );
    expect(scored.map((group) => group.zeroSpread)).toEqual([true, false]);
    expect(scored[0]?.advantages).toEqual([0, 0]);
    expect(scored[1]?.advantages[0]).toBeGreaterThan(1);
  });
});
