/** Files of rows, and sentences of rubric edits. */
import { describe, expect, it } from "vitest";
import { makeCriteria } from "../../testing/criteria.ts";
import { rowsToCsv, rowsToJsonl } from "./export.ts";
import { rowsOfSeed, type RunRow } from "./records.ts";
import { diffRubrics, listRubricChanges, summariseRubricEdit } from "./rubric-edit.ts";

const rows: RunRow[] = [
  {
    kind: "step",
    arm: "POW3R",
    step: 1,
    rubricVersion: 1,
    promptIds: ["p1", "p2"],
    metrics: { reward: 0.5, kl: null },
    criteria: [],
    teachingShare: 0.5,
    zeroSignal: false,
  },
  {
    kind: "evaluation",
    arm: "POW3R",
    step: 1,
    rubricVersion: 1,
    samples: 64,
    score: 0.25,
    balancedScore: 0.5,
    strictCompletion: null,
    learningPassRate: null,
    categories: { tone: 1 },
    criteria: [{ id: "a,b", passRate: 0.5 }],
    meanLength: 30,
  },
  {
    kind: "rubric",
    step: 2,
    rubricVersion: 2,
    summary: 'Weight of "x" 1 → 2, and\nmore.',
    changes: ["x.weight: 1 → 2", "y.required: false → true"],
  },
];

describe("rows as files", () => {
  it("are one JSON object a line in TRL's names", () => {
    const lines = rowsToJsonl(rows)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({ kind: "step", step: 1, reward: 0.5, kl: null, prompt_ids: "p1 p2" });
    expect(lines[1]).toMatchObject({
      eval_score: 0.25,
      "eval_rewards/tone/mean": 1,
      eval_strict_completion: null,
    });
  });

  it("are CSV with every column, quoted where needed, empty where missing", () => {
    const csv = rowsToCsv(rows);
    const [header, first, second] = csv.split("\r\n");
    expect(header).toBe(
      "kind,arm,step,rubric_version,prompt_ids,zero_signal,reward,kl,eval_samples,eval_score,eval_balanced_score," +
        "eval_strict_completion,eval_learning_pass_rate,eval_completions/mean_length,eval_rewards/tone/mean," +
        '"eval_criteria/a,b/mean",summary,changes',
    );
    expect(first).toBe("step,POW3R,1,1,p1 p2,false,0.5,,,,,,,,,,,");
    expect(second).toBe("evaluation,POW3R,1,1,,,,,64,0.25,0.5,,,30,1,0.5,,");
    expect(
      csv.endsWith('"Weight of ""x"" 1 → 2, and\nmore.",x.weight: 1 → 2 | y.required: false → true\r\n'),
    ).toBe(true);
  });
});

it("tells rows of several seeds apart by their seed", () => {
  const rows = [1, 2].flatMap((seed) =>
    rowsOfSeed(seed, [{ kind: "rubric", step: 3, rubricVersion: 2, summary: "s", changes: [] }]),
  );
  expect(rowsToJsonl(rows).match(/^\{"seed":\d,"kind"/gm)).toEqual(['{"seed":1,"kind"', '{"seed":2,"kind"']);
  expect(rowsToCsv(rows)).toBe(
    "seed,kind,step,rubric_version,summary,changes\r\n1,rubric,3,2,s,\r\n2,rubric,3,2,s,\r\n",
  );
});

describe("a rubric edit", () => {
  const before = { title: "t", criteria: makeCriteria([1, 2, 3], "AAB") };
  const edited = (change: (criteria: typeof before.criteria) => typeof before.criteria) => ({
    ...before,
    criteria: change(before.criteria),
  });

  it.each([
    [
      "a weight",
      edited((all) => all.map((c, i) => (i === 1 ? { ...c, weight: 10 } : c))),
      'Weight of "criterion 1" 2 → 10.',
    ],
    ["a removal", edited((all) => all.slice(1)), 'Removed "criterion 0".'],
    [
      "an addition",
      edited((all) => [...all, ...makeCriteria([1, 1, 1, 1], "AAAA").slice(3)]),
      'Added "criterion 3".',
    ],
    ["an order", edited((all) => [...all].reverse()), "Reordered the criteria."],
    [
      "a category",
      edited((all) => all.map((c) => (c.id === "c0" ? { ...c, category: "B" } : c))),
      'Moved "criterion 0" to another category.',
    ],
    ["nothing", before, "Nothing changed."],
  ])("of %s is said in one sentence", (_, after, sentence) => {
    expect(summariseRubricEdit(before, after)).toBe(sentence);
  });

  it("tells a new wording from a new meaning", () => {
    const check = { type: "contains", args: {}, negate: false };
    const checked = { title: "t", criteria: before.criteria.map((c) => ({ ...c, check })) };
    const reworded = { title: "t", criteria: checked.criteria.map((c) => ({ ...c, text: `${c.text}!` })) };
    expect(diffRubrics(checked, reworded).map((change) => change.kind)).toEqual([
      "wording",
      "wording",
      "wording",
    ]);
    const negated = {
      title: "t",
      criteria: checked.criteria.map((c) => ({ ...c, check: { ...check, negate: true } })),
    };
    expect(diffRubrics(checked, negated).map((change) => change.kind)).toEqual([
      "meaning",
      "meaning",
      "meaning",
    ]);
  });

  it("is listed whole for files, with ids and both values", () => {
    const [first, second, third] = before.criteria;
    const after = {
      title: "u",
      criteria: [
        third,
        { ...first, weight: 9, check: { type: "fluency", args: {}, negate: false } },
        { ...second, id: "new" },
      ],
    } as typeof before;
    expect(listRubricChanges(before, after)).toEqual([
      "c0.weight: 1 → 9",
      'c0.check: null → {"type":"fluency","args":{},"negate":false}',
      `added ${JSON.stringify({ ...second, id: "new" })}`,
      "removed c1",
      'title: "t" → "u"',
      "order: c2, c0, new",
    ]);
    expect(listRubricChanges(before, before)).toEqual([]);
  });

  it("names three changes and counts the rest", () => {
    const after = { title: "u", criteria: before.criteria.map((c) => ({ ...c, weight: 9 })) };
    expect(summariseRubricEdit(before, after)).toMatch(/; and 1 more\.$/);
  });
});
