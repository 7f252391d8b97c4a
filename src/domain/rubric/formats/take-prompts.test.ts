import { describe, expect, test } from "vitest";
import { createRng } from "../../../base/rng.ts";
import { healthBenchRow, randomSet } from "../../../testing/rubric-files.ts";
import { importRubric } from "./import-rubric.ts";
import { suggestedPrompts, takePrompts } from "./take-prompts.ts";

/** Six prompts: "Is clear" counts for the first two, everything else for its own prompt. */
const shared = { criterion: "Is clear", points: 2, tags: [] };
const rows = [1, 2, 3, 4, 5, 6].map((n) => {
  const row = healthBenchRow(n, [n]);
  return n > 2 ? row : { ...row, rubrics: [...row.rubrics, shared] };
});
const { set } = importRubric(rows.map((row) => JSON.stringify(row)).join("\n"), { name: "six.jsonl" });

describe("some of a set's prompts", () => {
  test("bring the criteria that count for any of them, each for those that were taken", () => {
    for (let seed = 0; seed < 20; seed++) {
      const taken = takePrompts(set, 3, seed);
      const ids = taken.prompts.map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
      const clear = ids.filter((id) => id === "hb-1" || id === "hb-2");
      const found = taken.criteria.find(({ text }) => text === "Is clear");
      expect(found?.prompts ?? []).toEqual(clear.toSorted());
      expect(taken.criteria).toHaveLength(3 + (clear.length > 0 ? 1 : 0));
    }
  });

  test("have a criterion of all that were taken count everywhere", () => {
    const seed = [...Array(200).keys()].find((each) =>
      takePrompts(set, 2, each).prompts.every(({ id }) => id === "hb-1" || id === "hb-2"),
    );
    const { criteria } = takePrompts(set, 2, seed ?? Number.NaN);
    expect(criteria.find(({ text }) => text === "Is clear")).not.toHaveProperty("prompts");
  });

  test("are drawn by the seed", () => {
    const ids = (seed: number) => takePrompts(set, 3, seed).prompts.map(({ id }) => id);
    expect(ids(4)).toEqual(ids(4));
    expect(new Set([...Array(20).keys()].map((seed) => ids(seed).join())).size).toBeGreaterThan(5);
  });

  test("a set without prompts stays whole", () => {
    const bare = randomSet(createRng(3, "bare"), { prompts: "none" });
    expect(takePrompts(bare, 1, 1)).toBe(bare);
  });
});

describe("how many to begin with", () => {
  const many = (count: number, criteria: number) => {
    const text = Array.from({ length: count }, (_, n) =>
      JSON.stringify(
        healthBenchRow(
          n,
          Array.from({ length: criteria }, () => 1),
        ),
      ),
    ).join("\n");
    return importRubric(text, { name: "many.jsonl" }).set;
  };

  test("as many as 120 criteria score, at least one, 64 at most", () => {
    expect(suggestedPrompts(many(40, 10), 1)).toBe(12);
    expect(suggestedPrompts(many(2, 130), 1)).toBe(1);
    expect(suggestedPrompts(many(90, 1), 1)).toBe(64);
  });
});
