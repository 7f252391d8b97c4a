import { expect, test } from "vitest";
import { dataStart, drawItems, type DataPosition } from "./data-order.ts";

const letters = ["a", "b", "c", "d", "e"];

function draws(perStep: number, steps: number, seed = 3): { items: readonly string[]; endsEpoch: boolean }[] {
  let position: DataPosition = dataStart;
  return Array.from({ length: steps }, () => {
    const { items, endsEpoch, next } = drawItems(letters, perStep, position, seed);
    position = next;
    return { items, endsEpoch };
  });
}

test("an epoch shows every prompt once, and the next in another order", () => {
  const all = draws(1, 10).flatMap((draw) => draw.items);
  expect([...all.slice(0, 5)].sort()).toEqual(letters);
  expect([...all.slice(5)].sort()).toEqual(letters);
  expect(all.slice(0, 5)).not.toEqual(all.slice(5));
  expect(draws(1, 10, 4).flatMap((draw) => draw.items)).not.toEqual(all);
});

test("what does not fill a step is dropped at the end of an epoch", () => {
  const steps = draws(2, 4);
  expect(steps.map((draw) => draw.endsEpoch)).toEqual([false, true, false, true]);
  expect(new Set(steps.slice(0, 2).flatMap((draw) => draw.items)).size).toBe(4);
});

test("a step that needs more prompts than there are is refused", () => {
  expect(() => drawItems(letters, 6, dataStart, 1)).toThrow("prompts_per_step");
});
