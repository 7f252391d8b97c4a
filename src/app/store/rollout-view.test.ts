import { expect, test } from "vitest";
import { criterionSchema } from "../../domain/rubric/schema.ts";
import type { Rollout, RolloutGroup } from "../../domain/run/records.ts";
import { bestMiddleWorst, rankRollouts, tintedRuns, tintOf, verdictsByCategory } from "./rollout-view.ts";

function rollout(reward: number | null, part: Partial<Rollout> = {}): Rollout {
  const base = { text: "", ended: true, tokens: [], verdicts: [], verdictsBeforeNoise: [], reasons: [] };
  return { ...base, reward, parts: {}, advantage: 0, ...part };
}
const token = (text: string, change: number | null) => ({
  text,
  logProb: -1,
  logProbAfter: change === null ? null : -1 + change,
});

test("answers are ranked by reward, missing rewards last", () => {
  expect(rankRollouts([rollout(0.2), rollout(null), rollout(0.9), rollout(0.2)])).toEqual([2, 0, 3, 1]);
});

test("best, middle and worst never repeat an answer", () => {
  expect(bestMiddleWorst([4, 1, 0, 2, 3])).toEqual([4, 0, 3]);
  expect(bestMiddleWorst([7, 5])).toEqual([7, 5]);
  expect(bestMiddleWorst([7])).toEqual([7]);
  expect(bestMiddleWorst([])).toEqual([]);
});

test("tints follow the thresholds in both directions and stay apart from what was not measured", () => {
  expect([0.3, 0.1, 0.03, 0.01, -0.03, -0.5].map((change) => tintOf(token("x", change)))).toEqual([
    3, 2, 1, 0, -1, -3,
  ]);
  expect(tintOf(token("x", null))).toBeNull();
});

test("neighbours of one tint are one piece with their changes summed", () => {
  const runs = tintedRuns([token("Dear ", 0.1), token("Nadia", 0.1), token(",", 0), token(" we", null)]);
  expect(runs.map(({ text, tint }) => [text, tint])).toEqual([
    ["Dear Nadia", 2],
    [",", 0],
    [" we", null],
  ]);
  expect(runs[0]?.change).toBeCloseTo(0.2);
  expect(runs[2]?.change).toBeNull();
});

test("verdicts keep their criterion whatever the category order, and show what noise flipped", () => {
  const criteria = [
    criterionSchema.parse({ id: "a", text: "says a", category: "X", weight: 1 }),
    criterionSchema.parse({ id: "b", text: "says b", category: "Y", weight: 1 }),
    criterionSchema.parse({ id: "c", text: "says c", category: "X", weight: 1 }),
  ];
  const answer = rollout(0.5, {
    verdicts: [1, null, 0],
    verdictsBeforeNoise: [1, null, 1],
    reasons: ["r", "s", "t"],
  });
  const group: RolloutGroup = {
    arm: "p",
    step: 1,
    promptId: "q",
    promptText: "",
    criterionIds: ["a", "b", "c"],
    rewardMean: null,
    rewardStd: null,
    rollouts: [answer],
  };
  expect(verdictsByCategory(group, answer, criteria)).toEqual([
    {
      category: "X",
      marks: [
        { criterionId: "a", text: "says a", verdict: 1, flipped: false, reason: "r" },
        { criterionId: "c", text: "says c", verdict: 0, flipped: true, reason: "t" },
      ],
    },
    {
      category: "Y",
      marks: [{ criterionId: "b", text: "says b", verdict: null, flipped: false, reason: "s" }],
    },
  ]);
});
