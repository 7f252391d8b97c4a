import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makePlan } from "./plan.ts";

const path = "experiments/opening-scenario.json";
const text = readFileSync(path, "utf8");
const seedsOf = (file: string, seeds: string | undefined, cells?: string): object =>
  makePlan(file, path, { seeds, cells }).cells.map((each) => [each.cell.id, each.seeds]);
const two = JSON.stringify({
  ...(JSON.parse(text) as object),
  cells: [
    { id: "quiet", judgeNoise: 0 },
    { id: "loud", judgeNoise: 0.2, seeds: [1, 2] },
  ],
});

test("takes seeds of the experiment from the command line, and no others", () => {
  expect(seedsOf(text, undefined)).toEqual([[null, [1, 2, 3, 4, 5, 6, 7, 8]]]);
  expect(seedsOf(text, "3, 1")).toEqual([[null, [3, 1]]]);
  for (const list of ["99", "1,1", "", "1,", "one"]) {
    expect(() => seedsOf(text, list)).toThrow(/--seeds: expected some of the experiment's seeds/);
  }
});

test("takes cells of the experiment from the command line, and a seed only where a cell has it", () => {
  expect(seedsOf(two, "2,3")).toEqual([
    ["quiet", [2, 3]],
    ["loud", [2]],
  ]);
  expect(seedsOf(two, undefined, "loud")).toEqual([["loud", [1, 2]]]);
  for (const list of ["silent", "loud,loud", ""]) {
    expect(() => seedsOf(two, undefined, list)).toThrow("--cells: expected some of quiet, loud");
  }
  expect(() => seedsOf(text, undefined, "loud")).toThrow("a file without cells");
});

test("makes every seed's run by its own cell's settings", () => {
  const [quiet, loud] = makePlan(two, path, { seeds: undefined, cells: undefined }).cells;
  expect([quiet?.specOf(7), loud?.specOf(7)]).toMatchObject([
    { seed: 7, judgeNoise: 0 },
    { seed: 7, judgeNoise: 0.2 },
  ]);
});

test("finds a mistake of a cell that is not asked for", () => {
  const wrong = two.replace('{"id":"quiet"', '{"id":"quiet","grpo":{"warmup_steps":90}');
  expect(() => seedsOf(wrong, undefined, "loud")).toThrow('cell "quiet", grpo.warmup_steps');
});

test("shares the runs evenly, each of them once", () => {
  const shareOf = (share: string): object =>
    makePlan(two, path, { seeds: "1,2,3", cells: undefined, share }).cells.map((each) => [
      each.cell.id,
      each.seeds,
    ]);
  // quiet 1, 2, 3 and loud 1, 2
  expect(shareOf("1/2")).toEqual([
    ["quiet", [1, 3]],
    ["loud", [2]],
  ]);
  expect(shareOf("2/2")).toEqual([
    ["quiet", [2]],
    ["loud", [1]],
  ]);
  for (const share of ["0/2", "3/2", "1", "one/two", "1.5/2"]) {
    expect(() => shareOf(share)).toThrow("--share: expected such as 1/2 or 2/2");
  }
});
