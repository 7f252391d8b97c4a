import { expect, test } from "vitest";
import { bandPath, linearScale, linePath, nearestIndex } from "./plot.ts";

test("a scale maps ends onto ends, whichever way round, and survives equal ends", () => {
  const down = linearScale([0, 2], 100, 0);
  expect([0, 1, 2, 3].map(down)).toEqual([100, 50, 0, -50]);
  expect(linearScale([1, 1], 5, 9)(1)).toBe(5);
});

test("a line breaks at gaps and starts again", () => {
  expect(linePath([[0, 1], [2, 3.25], null, null, [4, 5]])).toBe("M0.0 1.0L2.0 3.3M4.0 5.0");
  expect(linePath([null])).toBe("");
});

test("a band goes along its high edge and back along its low one", () => {
  expect(bandPath([[0, 9, 1], [5, 8, 2], null, [9, 4, 3]])).toBe(
    "M0.0 1.0L5.0 2.0L5.0 8.0L0.0 9.0ZM9.0 3.0L9.0 4.0Z",
  );
});

test("the nearest of rising values", () => {
  expect([-3, 2, 2.6, 90].map((wanted) => nearestIndex([0, 2, 3], wanted))).toEqual([0, 1, 2, 2]);
  expect(nearestIndex([], 1)).toBe(-1);
});
