/** Pressure, flags and judge noise. */
import { describe, expect, it } from "vitest";
import { makeCriteria, vectorCriteria, vectorVerdicts } from "../../testing/criteria.ts";
import { categoryBalancedRule } from "../reward/category-balanced.ts";
import { staticScalarRule } from "../reward/static-scalar.ts";
import { extendFlagWindow, flagOf, type FlagWindow } from "./flags.ts";
import { withJudgeNoise } from "./judge-noise.ts";
import {
  contrastWeightedPressure,
  isMostlyNoise,
  shareOnState,
  weightVarianceCorrelation,
} from "./pressure.ts";
import { strictlyComplete } from "./strict-completion.ts";
import type { VerdictMatrix } from "./verdicts.ts";

/** A group of one criterion with so many passes among so many rollouts. */
function group(passes: number, of: number): VerdictMatrix {
  return Array.from({ length: of }, (_, index) => [index < passes ? 1 : 0]);
}

describe("pressure", () => {
  it("is each criterion's share of the reward", () => {
    expect(staticScalarRule.pressure(vectorCriteria, [])).toEqual([5 / 14, 3 / 14, 2 / 14, 4 / 14]);
    expect(categoryBalancedRule.pressure(vectorCriteria, [])).toEqual([0.25, 0.15, 0.1, 0.5]);
  });

  it("is weighted by the contrast it meets", () => {
    expect(contrastWeightedPressure([0.25, 0.15, 0.5], [0, 0.25, null])).toEqual([0, 0.075, null]);
  });

  it("is summed by state", () => {
    const criteria = [
      { pressure: 0.25, state: "dead" },
      { pressure: 0.5, state: "learning" },
      { pressure: 0.25, state: "learning" },
    ];
    expect(shareOnState(criteria, "learning")).toBe(0.75);
    expect(shareOnState(criteria, "saturated")).toBe(0);
  });

  it("weight and variance correlate by Pearson, over rewarded and judged criteria", () => {
    // numpy.corrcoef([1, 2, 3, 4], [.1, .25, .2, .05])
    const criteria = makeCriteria([1, 2, 3, 4, 0, 9], "AAAAAA");
    expect(weightVarianceCorrelation(criteria, [0.1, 0.25, 0.2, 0.05, 0.25, null])).toBeCloseTo(
      -0.2828427,
      6,
    );
    expect(weightVarianceCorrelation(makeCriteria([1, 2], "AA"), [0.1, 0.2])).toBeCloseTo(1, 12);
    expect(weightVarianceCorrelation(criteria, [0.1, 0.1, 0.1, 0.1, 0.1, 0.1])).toBeNull();
    expect(weightVarianceCorrelation(criteria, [0.1, null, null, null, null, null])).toBeNull();
  });
});

describe("a variance that flips made", () => {
  it("is more than twice what the rate before them explains", () => {
    expect(isMostlyNoise(0.25, 0.13)).toBe(true); // .13 * .87 = .1131
    expect(isMostlyNoise(0.25, 0.2)).toBe(false);
    expect(isMostlyNoise(0.5, 0.5)).toBe(false);
    expect([isMostlyNoise(null, 0.1), isMostlyNoise(0.25, null)]).toEqual([false, false]);
  });
});

describe("strict completion", () => {
  it("is missing where nothing is rewarded", () => {
    expect(strictlyComplete(makeCriteria([0], "A"), [1])).toBeNull();
  });
});

describe("flags", () => {
  const criteria = makeCriteria([1], "A");
  const [criterion] = criteria as [(typeof criteria)[number]];
  const windowOf = (groups: readonly VerdictMatrix[], noise = 0): FlagWindow =>
    groups.reduce<FlagWindow>((window, next) => extendFlagWindow(window, criteria, [next], noise), {});
  const stateOf = (groups: readonly VerdictMatrix[], noise = 0) =>
    flagOf(windowOf(groups, noise), criterion, noise);

  it("are unseen before 32 verdicts, and say how many there are", () => {
    const flag = stateOf([group(0, 16), group(0, 15)]);
    expect(flag).toEqual({ state: "unseen", reason: "too little seen: 31 of at least 32 verdicts" });
    expect(stateOf([group(0, 16), group(0, 16)]).state).toBe("dead");
    expect(flagOf({}, criterion, 0)).toEqual({
      state: "unseen",
      reason: "too little seen: 0 of at least 32 verdicts",
    });
  });

  it("turn at .02 and .98", () => {
    expect(stateOf([group(1, 50)]).state).toBe("dead");
    expect(stateOf([group(2, 50)]).state).toBe("learning");
    expect(stateOf([group(49, 50)]).state).toBe("saturated");
    expect(stateOf([group(48, 50)]).state).toBe("learning");
  });

  it("say their reason in words", () => {
    expect(stateOf([group(0, 16), group(1, 16)]).reason).toBe(
      "1 of 32 verdicts passed in the last 2 groups (3.1 %); between 2 % and 98 %",
    );
    expect(stateOf([group(0, 16), group(0, 16)], 0.03).reason).toBe(
      "0 of 32 verdicts passed in the last 2 groups (0 %); dead at 5 % or less, with 3 % of verdicts flipped",
    );
    expect(stateOf([group(0, 16), group(1, 16)], 0.03)).toEqual({
      state: "unseen",
      reason: "too little seen: 1 of 32 verdicts passed, under a judge that flips 3 %",
    });
  });

  it("look back on the last 8 groups in which the criterion was judged", () => {
    const old = Array.from({ length: 5 }, () => group(8, 16));
    const recent = Array.from({ length: 8 }, () => group(0, 16));
    const unjudged: VerdictMatrix = Array.from({ length: 16 }, () => [null]);
    expect(stateOf([...old, ...recent.slice(1)]).state).toBe("learning");
    expect(stateOf([...old, ...recent]).state).toBe("dead");
    expect(stateOf([...recent, unjudged, unjudged]).state).toBe("dead");
    expect(windowOf([...old, ...recent, unjudged])).toEqual(windowOf(recent));
  });

  it("widen by judge noise, and give no verdict on a judge that is a coin", () => {
    // the bound is .1, and the margin 1.5 standard errors
    expect(stateOf([group(1, 50)], 0.08).state).toBe("dead");
    expect(stateOf([group(49, 50)], 0.08).state).toBe("saturated");
    expect(stateOf([group(10, 50)], 0.08).state).toBe("learning");
    expect(stateOf([group(25, 50)], 0.48).reason).toContain("tells nothing");
  });

  it("wait under a noisy judge until they are clear, and count as flat if a full window leaves them in doubt", () => {
    const groups = (count: number, passes: number) => Array.from({ length: count }, () => group(passes, 16));
    expect(stateOf(groups(7, 2), 0.08).state).toBe("unseen");
    expect(stateOf(groups(8, 2), 0.08).state).toBe("dead");
    expect(stateOf(groups(7, 14), 0.08).state).toBe("unseen");
    expect(stateOf(groups(8, 14), 0.08).state).toBe("saturated");
    expect(stateOf(groups(8, 3), 0.08).state).toBe("learning");
    expect(stateOf(groups(2, 1)).state).toBe("learning"); // an exact judge leaves no doubt
  });

  it("turn only when the rate is clearly past its bound, either way", () => {
    const eight = (passes: number) => Array.from({ length: 8 }, () => group(passes, 16));
    // 8 groups of 16; in noise .03 the bound is .05, that is 6.4 passes
    const turned = (window: readonly VerdictMatrix[], last: number) =>
      stateOf([...window, ...Array.from({ length: 7 }, () => group(0, 16)), group(last, 16)], 0.03);
    expect(turned(eight(0), 10).state).toBe("dead");
    expect(turned(eight(0), 10).reason).toContain(
      "dead until clearly above 5 %, with 3 % of verdicts flipped",
    );
    expect(turned(eight(0), 12).state).toBe("learning");
    expect(turned(eight(5), 4)).toMatchObject({ state: "learning" });
    expect(turned(eight(5), 4).reason).toContain("learning until clearly below 5 %");
    expect(turned(eight(5), 2).state).toBe("dead");
    const full = Array.from({ length: 7 }, () => group(16, 16));
    expect(stateOf(eight(16), 0.03).reason).toContain("saturated at 95 % or more");
    expect(stateOf([...eight(16), ...full, group(6, 16)], 0.03)).toMatchObject({
      state: "saturated",
      reason: expect.stringContaining("saturated until clearly below 95 %") as unknown,
    });
    expect(stateOf([...eight(11), ...full, group(12, 16)], 0.03)).toMatchObject({
      state: "learning",
      reason: expect.stringContaining("learning until clearly above 95 %") as unknown,
    });
    expect(stateOf([...eight(16), ...full, group(4, 16)], 0.03).state).toBe("learning");
  });

  it("of a criterion that no answer meets hardly ever turn under a noisy judge", () => {
    const never: VerdictMatrix = Array.from({ length: 16 }, () => [0]);
    let turns = 0;
    for (let seed = 1; seed <= 60; seed++) {
      let window: FlagWindow = {};
      let before = "unseen";
      for (let step = 1; step <= 60; step++) {
        const noisy = withJudgeNoise(never, criteria, 0.03, { seed, step, promptIndex: 0 });
        window = extendFlagWindow(window, criteria, [noisy], 0.03);
        const { state } = flagOf(window, criterion, 0.03);
        if (before !== "unseen" && state !== before) turns += 1;
        before = state;
      }
    }
    // 209 without the margin
    expect(turns).toBeLessThanOrEqual(12);
  });

  it("start anew for a criterion whose meaning changed", () => {
    const window = windowOf([group(0, 32)]);
    expect(flagOf(window, { ...criterion, weight: 9 }, 0).state).toBe("dead");
    expect(flagOf(window, { ...criterion, text: "other" }, 0).state).toBe("unseen");
  });
});

describe("judge noise", () => {
  const place = { seed: 7, step: 3, promptIndex: 0 };

  it("repeats by seed, step, prompt, rollout and criterion", () => {
    const once = withJudgeNoise(vectorVerdicts, vectorCriteria, 0.3, place);
    expect(withJudgeNoise(vectorVerdicts, vectorCriteria, 0.3, place)).toEqual(once);
    for (const other of [{ seed: 8 }, { step: 4 }, { promptIndex: 1 }]) {
      expect(withJudgeNoise(vectorVerdicts, vectorCriteria, 0.3, { ...place, ...other })).not.toEqual(once);
    }
  });

  it("flips the same places of another arm's verdicts, and of a reordered rubric", () => {
    const flipsOf = (verdicts: VerdictMatrix) =>
      withJudgeNoise(verdicts, vectorCriteria, 0.3, place).map((row, i) =>
        row.map((s, j) => s !== verdicts[i]?.[j]),
      );
    const others = vectorVerdicts.map((row) => row.map((s) => (s === null ? null : 1 - s)));
    expect(flipsOf(others)).toEqual(flipsOf(vectorVerdicts));
    const reversed = withJudgeNoise(
      vectorVerdicts.map((row) => [...row].reverse()),
      [...vectorCriteria].reverse(),
      0.3,
      place,
    );
    expect(reversed.map((row) => [...row].reverse())).toEqual(
      withJudgeNoise(vectorVerdicts, vectorCriteria, 0.3, place),
    );
  });

  it("flips each criterion's verdicts on their own", () => {
    const passed = Array.from({ length: 16 }, () => [1, 1, 1, 1]);
    const noisy = withJudgeNoise(passed, vectorCriteria, 0.3, place);
    const columns = [0, 1, 2, 3].map((j) => noisy.map((row) => row[j]).join());
    expect(new Set(columns).size).toBe(4);
  });

  it("flips the share asked for", () => {
    const criteria = makeCriteria(
      Array.from({ length: 20 }, () => 1),
      "A".repeat(20),
    );
    const passed = Array.from({ length: 16 }, () => criteria.map(() => 1));
    let flips = 0;
    for (let step = 1; step <= 50; step++) {
      const noisy = withJudgeNoise(passed, criteria, 0.08, { ...place, step });
      flips += noisy.flat().filter((verdict) => verdict === 0).length;
    }
    // 16,000 draws: four standard errors are .0086
    expect(Math.abs(flips / 16_000 - 0.08)).toBeLessThan(0.0086);
  });

  it("leaves missing verdicts missing, turns graded ones round, and does nothing at 0", () => {
    const verdicts = Array.from({ length: 64 }, () => [null, 0.3]);
    const noisy = withJudgeNoise(verdicts, makeCriteria([1, 1], "AA"), 0.5, place);
    expect(new Set(noisy.map((row) => row[0]))).toEqual(new Set([null]));
    expect(new Set(noisy.map((row) => row[1]))).toEqual(new Set([0.3, 0.7]));
    expect(withJudgeNoise(vectorVerdicts, vectorCriteria, 0, place)).toEqual(vectorVerdicts);
  });
});
