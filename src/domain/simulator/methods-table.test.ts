/** The simulation table of methods.md section 1, "What to expect": each stated figure within 15 %, medians of 20 seeds. */
import { describe, expect, it } from "vitest";
import type { RewardRuleName } from "../run/spec.ts";
import { compareRules, type RuleSummary } from "./compare-rules.ts";
import { simulatorSettingsSchema } from "./settings.ts";

const WIDE = { lambda: 1, alpha_min: 0.1, alpha_max: 10 };

function outcomes(settings: object, ...rules: RewardRuleName[]): RuleSummary[] {
  return [...compareRules(simulatorSettingsSchema.parse(settings), rules).rules];
}

function startOf(rule: RuleSummary | undefined): number {
  return (rule?.finalScore.mean ?? Number.NaN) - (rule?.gain.mean ?? Number.NaN);
}

function expectWithin(value: number | null | undefined, low: number, high = low): void {
  expect(value).toBeGreaterThan(low * 0.85);
  expect(value).toBeLessThan(high * 1.15);
}

describe("the simulation table", () => {
  for (const flatWeight of [1, 5, 10]) {
    it(`a perfect judge, ${String(flatWeight)}:1`, () => {
      const [pow3r, gdpo] = outcomes({ judgeNoise: 0, flatWeight }, "pow3r", "gdpo");
      const [wide] = outcomes({ judgeNoise: 0, flatWeight, ...WIDE }, "pow3r");
      expectWithin(pow3r?.speedUp, 0.8, 1);
      expectWithin(wide?.speedUp, 0.8, 1);
      expectWithin(gdpo?.speedUp, 0.95, 1);
    });
  }

  it("3 % flips, 10:1: POW3R is ahead, and most seeds of GDPO never arrive", () => {
    const [pow3r, gdpo] = outcomes({ judgeNoise: 0.03 }, "pow3r", "gdpo");
    const [wide] = outcomes({ judgeNoise: 0.03, ...WIDE }, "pow3r");
    expectWithin(pow3r?.speedUp, 1.6);
    expectWithin(wide?.speedUp, 2.7);
    expect(gdpo?.speedUp).toBeNull();
    expect(gdpo?.stepsToBaseline?.median).toBeNull();
    expect(gdpo?.stepsToBaseline?.reached).toBeLessThan(10);
  });

  it("8 % flips, 10:1: POW3R is ahead by less, GDPO behind, and static itself moves little", () => {
    const [statics, balanced, pow3r, gdpo] = outcomes(
      { judgeNoise: 0.08, steps: 300 },
      "static-scalar",
      "category-balanced",
      "pow3r",
      "gdpo",
    );
    expectWithin(pow3r?.speedUp, 1.3, 1.7);
    expectWithin(gdpo?.speedUp, 0.75);
    expectWithin(startOf(statics), 0.491);
    expectWithin(statics?.finalScore.mean, 0.503);
    expect(statics?.gain.mean).toBeLessThan(0.03);
    // categories of equal weight
    expect(balanced?.finalScore.mean).toBeCloseTo(statics?.finalScore.mean ?? 0, 9);
    expect(balanced?.stepsToBaseline).toEqual(statics?.stepsToBaseline);
  });
});
