import { expect, test } from "vitest";
import { axisTicks, tickText } from "./axis-ticks.ts";

test("ticks enclose the values at round distances", () => {
  expect(axisTicks([0.472, 0.571], 4)).toEqual([0.45, 0.5, 0.55, 0.6]);
  expect(axisTicks([0, 36], 4)).toEqual([0, 20, 40]);
  expect(axisTicks([-0.3, 1.2], 4)).toEqual([-0.5, 0, 0.5, 1, 1.5]);
});

test("equal values still get an axis, and none get the unit one", () => {
  const [low = 1, ...rest] = axisTicks([0.5], 3);
  expect(low).toBeLessThan(0.5);
  expect(rest.at(-1)).toBeGreaterThan(0.5);
  expect(axisTicks([], 3)).toEqual([0, 0.5, 1]);
});

test("labels carry the decimals that tell neighbours apart", () => {
  expect([0.45, 0.5, 0.55].map((tick) => tickText(tick, [0.45, 0.5, 0.55]))).toEqual([
    "0.45",
    "0.50",
    "0.55",
  ]);
  expect([0, 20].map((tick) => tickText(tick, [0, 20]))).toEqual(["0", "20"]);
  expect(tickText(0.002, [0, 0.002])).toBe("0.002");
});

test("span at least what is asked, and never below 0 for values that are not", () => {
  const ticks = axisTicks([0.568, 0.575], 4, 0.1);
  expect((ticks.at(-1) ?? 0) - (ticks[0] ?? 0)).toBeGreaterThanOrEqual(0.1);
  expect(ticks[0]).toBeLessThan(0.568);
  expect(axisTicks([0, 0.01], 3, 0.1)[0]).toBe(0);
});
