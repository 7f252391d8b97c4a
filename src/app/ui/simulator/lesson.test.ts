import { describe, expect, it } from "vitest";
import { rewardRuleNames } from "../../../domain/run/spec.ts";
import { compareRules } from "../../../domain/simulator/compare-rules.ts";
import type { SimulatorSettings } from "../../../domain/simulator/settings.ts";
import { lessonOf } from "./lesson.ts";
import { defaultSettings, shownValue, sliderGroups, typedValue, withSetting } from "./settings-fields.ts";

const lessonAt = (settings: Partial<SimulatorSettings>) =>
  lessonOf(compareRules({ ...defaultSettings, seeds: 5, ...settings }, rewardRuleNames));

describe("what a cell teaches", () => {
  it("says that a careless judge is where POW3R wins, by how much, and that GDPO falls behind", () => {
    const lesson = lessonAt({});
    expect(lesson).toMatchObject({ kind: "faster", littleGain: null, gdpoBehind: true, balanced: null });
    expect(lesson?.speedUp).toBeCloseTo(200 / (lesson?.steps ?? 0), 12);
    expect(lesson?.speedUp).toBeGreaterThan(1.5);
  });

  it("puts static's own gain beside a factor where it is little", () => {
    const lesson = lessonAt({ judgeNoise: 0.08 });
    expect(lesson?.kind).toBe("faster");
    expect(lesson?.littleGain).toBeGreaterThan(0);
    expect(lesson?.littleGain).toBeLessThan(0.03);
  });

  it("says that a judge that never errs leaves nothing to win", () => {
    expect(lessonAt({ judgeNoise: 0, flatWeight: 1 })?.kind).toBe("noNoise");
    const wide = { lambda: 1, alpha_min: 0.1, alpha_max: 10 };
    expect(lessonAt({ judgeNoise: 0, flatWeight: 5, ...wide })?.kind).toBe("noNoiseSlower");
    expect(lessonAt({ judgeNoise: 0.03, flatWeight: 1 })).toMatchObject({ kind: "light", littleGain: null });
  });

  it("knows a rubric without anything to teach, and what balancing alone gives", () => {
    expect(lessonAt({ flatShare: 1 })?.kind).toBe("allFlat");
    expect(lessonAt({ flatShare: 0 })?.kind).toBe("noneFlat");
    const gathered = lessonAt({ flatShare: 0.5, flatPlaces: "gathered" });
    expect(gathered?.kind).toBe("balancing");
    expect(gathered?.balanced).toBeGreaterThan(2);
  });

  it("says nothing of rules that are not drawn", () => {
    expect(lessonOf(compareRules({ ...defaultSettings, seeds: 1 }, ["static-scalar", "gdpo"]))).toBeNull();
  });
});

describe("settings by hand", () => {
  const [noise] = sliderGroups.judge;
  const [group] = sliderGroups.grpo;

  it("are typed in per cent where they are shares, inside the slider's bounds", () => {
    expect(typedValue(noise, "3.2")).toBe(0.032);
    expect(typedValue(noise, "3,2")).toBe(0.032);
    expect(typedValue(noise, "70")).toBe(0.2);
    expect(typedValue(noise, "-1")).toBe(0);
    expect(typedValue(group, "8.4")).toBe(8);
    expect(typedValue(noise, "much")).toBeNull();
    expect(typedValue(noise, " ")).toBeNull();
    expect(shownValue(noise, 0.07)).toBe(7);
  });

  it("keep what belongs together together", () => {
    expect(withSetting(defaultSettings, "steps", 90).goalStep).toBe(60);
    expect(withSetting(defaultSettings, "criteria", 2)).toMatchObject({ criteria: 2, categories: 2 });
    expect(withSetting({ ...defaultSettings, criteria: 5 }, "categories", 8)).toMatchObject({
      criteria: 8,
      categories: 8,
    });
  });

  it("stand at their defaults inside every slider's bounds", () => {
    for (const spec of Object.values(sliderGroups).flat()) {
      const shown = shownValue(spec, defaultSettings[spec.name]);
      expect(shown, spec.name).toBeGreaterThanOrEqual(spec.min);
      expect(shown, spec.name).toBeLessThanOrEqual(spec.max);
      expect(typedValue(spec, String(shown)), spec.name).toBe(defaultSettings[spec.name]);
    }
  });
});
