/** Criteria of single prompts in a run: one that does not apply to a prompt is no miss there, and holds no share of its reward. */
import { beforeAll, expect, test } from "vitest";
import type { ArmStep, Evaluation, RolloutGroup } from "../domain/run/records.ts";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import { createRunRecord } from "./run-record.ts";
import { Trainer } from "./trainer.ts";

const says = (word: string, more: object): object => ({
  id: word,
  text: `says ${word}`,
  category: "content",
  check: { type: "says", args: { word } },
  ...more,
});
/** Which words each prompt asks for beside a proper end, which all do. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  "train-0": ["refund"],
  "train-1": ["soon"],
  "held-out-0": ["refund"],
  "held-out-1": ["soon"],
};
const spec = fakeSpec(
  {
    arms: ["static-scalar", "pow3r", "gdpo"].map((rule) => ({
      id: rule,
      rule,
      pow3r: { alpha_scope: "prompt", alpha_update: "step" },
    })),
    rubric: {
      title: "Sets of their own",
      criteria: [
        { id: "ends", text: "ends", category: "tone", weight: 2, check: { type: "ends" } },
        says("refund", { weight: 1, prompts: ["train-0", "held-out-0"] }),
        says("soon", { weight: 3, prompts: ["train-1", "held-out-1"] }),
      ],
    },
    judgeNoise: 0,
  },
  { prompts_per_step: 2 },
);
const twoPrompts = { ...spec, trainPrompts: spec.trainPrompts.slice(0, 2) };

let groups: readonly RolloutGroup[];
const deps = fakeDeps();
const trainer = new Trainer(deps, createRunRecord("run", twoPrompts, deps.policy));
const stepOf = (arm: string): ArmStep =>
  trainer.record.rows.find((row): row is ArmStep => row.kind === "step" && row.arm === arm) as ArmStep;

beforeAll(async () => {
  await trainer.evaluate();
  ({ groups } = await trainer.step());
});

const isComplete = (promptId: string, text: string, ended: boolean): number =>
  Number(ended && (WORDS[promptId] ?? []).every((word) => text.split(" ").includes(word)));
const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;

test("a criterion of another prompt has no verdict, and none is missing", () => {
  expect(groups[0]?.rollouts[0]?.verdicts).toContain(null);
  expect(stepOf("static-scalar").metrics["judge/missing"]).toBe(0);
});

test("an answer is complete by the criteria of its own prompt", () => {
  const own = groups.filter(({ arm }) => arm === "static-scalar");
  const complete = own.map(({ promptId, rollouts }) =>
    rollouts.map(({ text, ended }) => isComplete(promptId, text, ended)),
  );
  expect(own.map(({ promptId }) => promptId).sort()).toEqual(["train-0", "train-1"]);
  expect(stepOf("static-scalar").metrics["strict_completion"]).toBeCloseTo(mean(complete.flat()), 12);
  expect(mean(complete.flat())).toBeGreaterThan(0);
  const mixed = complete.filter((group) => mean(group) > 0 && mean(group) < 1).length;
  expect(stepOf("static-scalar").metrics["groups/mixed"]).toBe(mixed / 2);
});

test("a held-out answer too, and where none is asked of it the others alone count", () => {
  const answers = trainer.record.baseAnswers ?? [];
  const complete = answers.map(({ promptId, text, ended }) => isComplete(promptId, text, ended));
  const [row] = trainer.record.rows.filter((each): each is Evaluation => each.kind === "evaluation");
  expect(new Set(answers.map(({ promptId }) => promptId)).size).toBe(4);
  expect(row?.strictCompletion).toBeCloseTo(mean(complete), 12);
  expect(Object.keys(row?.categories ?? {})).toEqual(["tone", "content"]);
});

test("a criterion's share of the reward is the mean of its shares of the prompts' rewards", () => {
  const shares = (arm: string) =>
    Object.fromEntries(stepOf(arm).criteria.map(({ id, pressure }) => [id, pressure]));
  // prompt 0: ends 2, refund 1; prompt 1: ends 2, soon 3
  expect(shares("static-scalar")["ends"]).toBeCloseTo((2 / 3 + 2 / 5) / 2, 12);
  expect(shares("static-scalar")["refund"]).toBeCloseTo(1 / 6, 12);
  expect(shares("static-scalar")["soon"]).toBeCloseTo(3 / 10, 12);
  expect(shares("pow3r")).toEqual({ ends: 1 / 2, refund: 1 / 4, soon: 1 / 4 });
});

test("flags and pass rates count the verdicts of its own prompts", () => {
  const [ends, refund] = stepOf("pow3r").criteria;
  expect(ends?.judged).toBe(16);
  expect(refund?.judged).toBe(8);
  expect(refund?.reason).toBe("too little seen: 8 of at least 32 verdicts");
});

test("alpha is that of the prompts it counts for", async () => {
  await trainer.step();
  const rows = trainer.record.rows.filter(
    (row): row is ArmStep => row.kind === "step" && row.arm === "pow3r",
  );
  const seen = rows[1]?.criteria.find(({ id }) => id === "soon")?.alpha;
  const kept = Object.entries(trainer.record.arms[1]?.pow3r.alphas ?? {});
  expect(kept.map(([scope]) => scope).sort()).toEqual(["prompt:train-0", "prompt:train-1"]);
  const first = rows[0]?.criteria.find(({ id }) => id === "soon");
  expect(first?.alpha).toBe(1);
  // the only rewarded one of its category there: its contrast is the category's, so it stands at 1
  expect(seen).toBe(1);
});

test("GDPO adds the z-scores of a prompt's own criteria, then compares over the batch", () => {
  const own = groups.filter(({ arm }) => arm === "gdpo");
  const z = (column: readonly number[]): number[] => {
    const m = mean(column);
    const std = Math.sqrt(column.reduce((sum, x) => sum + (x - m) ** 2, 0) / (column.length - 1));
    return column.map((x) => (x - m) / (std + 1e-4));
  };
  const sums = own.flatMap(({ promptId, rollouts }) => {
    const [word = ""] = WORDS[promptId] ?? [];
    const ended = z(rollouts.map(({ ended }) => Number(ended)));
    const said = z(rollouts.map(({ text }) => Number(text.split(" ").includes(word))));
    return rollouts.map((_, i) => 2 * (ended[i] ?? 0) + (word === "soon" ? 3 : 1) * (said[i] ?? 0));
  });
  const advantages = own.flatMap(({ rollouts }) => rollouts.map(({ advantage }) => advantage));
  z(sums).forEach((value, i) => {
    expect(advantages[i]).toBeCloseTo(value, 9);
  });
});
