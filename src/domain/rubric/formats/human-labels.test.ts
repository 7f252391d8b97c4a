import { expect, test } from "vitest";
import { rubricSchema } from "../schema.ts";
import { readHumanLabels } from "./human-labels.ts";

const rubric = rubricSchema.parse({
  title: "r",
  criteria: [
    { id: "a", text: "is polite", category: "x", weight: 1 },
    { id: "b", text: "is short", category: "x", weight: 1 },
  ],
});

test("a table, JSON, JSON lines: by id or by words, with and without a prompt", () => {
  const expected = [
    { prompt: "Hi, you", answer: "Hello, dear", criterionId: "a", met: true },
    { prompt: null, answer: "no", criterionId: "b", met: false },
  ];
  const csv = 'prompt,answer,criterion,met\n"Hi, you","Hello, dear",is polite,Yes\n,no,b,0\n';
  expect(readHumanLabels(csv, rubric, "labels")).toEqual(expected);
  const list = [
    { prompt: "Hi, you", answer: "Hello, dear", criterion: "a", met: true },
    { answer: "no", criterion: "is short", met: 0 },
  ];
  expect(readHumanLabels(JSON.stringify(list), rubric, "labels")).toEqual(expected);
  const lines = list.map((each) => JSON.stringify(each)).join("\n");
  expect(readHumanLabels(lines, rubric, "labels.jsonl")).toEqual(expected);
});

test("every fault is told with its row and field", () => {
  const csv = "answer,criterion,met\nhello,is rude,yes\nhello,a,maybe\n";
  expect(() => readHumanLabels(csv, rubric, "labels")).toThrow(
    /criterion: expected the id or the words.*got "is rude".*met: expected yes or no.*got "maybe"/,
  );
  expect(() => readHumanLabels('[{"criterion": "a", "met": true}]', rubric, "labels")).toThrow(/answer/);
  expect(() => readHumanLabels("[]", rubric, "labels")).toThrow(/at least one label/);
  expect(() => readHumanLabels("", rubric, "labels")).toThrow(/empty file/);
});
