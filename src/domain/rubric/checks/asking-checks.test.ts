/** Checks that ask: what they make of a sandbox's and an embedder's answers, and of none. */
import { expect, test } from "vitest";
import type { Sandbox, SandboxResult, SandboxTask } from "../sandbox.ts";
import type { CheckTools } from "./check.ts";
import { ownExpression } from "./own-expression.ts";
import { ownPattern } from "./own-pattern.ts";
import { containsJson } from "./promptfoo/contains-json.ts";
import { similar } from "./similar.ts";

const none: CheckTools = { sandbox: null, embedder: null };
const prompt = { text: "Where is it?", fields: { name: "Ada" } };
const answersOf = (...texts: string[]) => texts.map((text) => ({ text, ended: true }));

function sandboxOf(...results: SandboxResult[]): { tools: CheckTools; tasks: SandboxTask[] } {
  const tasks: SandboxTask[] = [];
  const sandbox: Sandbox = {
    run: (task) => {
      tasks.push(task);
      return Promise.resolve(results);
    },
  };
  return { tools: { sandbox, embedder: null }, tasks };
}

test("a pattern's places are shown, and a result that is none is a missing verdict that counts as failed", async () => {
  const { tools, tasks } = sandboxOf(
    {
      kind: "matches",
      spans: [
        [1, 3],
        [4, 5],
      ],
    },
    { kind: "matches", spans: [] },
    { kind: "none", reason: "took longer than 250 ms and was ended" },
  );
  const args = ownPattern.args.parse({ pattern: "b.", flags: "i" });
  expect(await ownPattern.ask(answersOf("abcde", "x", "y"), args, prompt, tools)).toEqual([
    {
      verdict: 1,
      reason: 'matches "bc"',
      spans: [
        [1, 3],
        [4, 5],
      ],
      failed: false,
    },
    { verdict: 0, reason: "no match of b.", spans: [], failed: false },
    {
      verdict: null,
      reason: "the pattern gave no verdict: took longer than 250 ms and was ended",
      spans: [],
      failed: true,
    },
  ]);
  expect(tasks).toEqual([{ kind: "pattern", pattern: "b.", flags: "i" }]);
});

test("an expression sees the prompt, and its value is the verdict", async () => {
  const { tools, tasks } = sandboxOf({ kind: "value", value: 0.25, said: "0.25" });
  const [judged] = await ownExpression.ask(answersOf("x"), { code: "output" }, prompt, tools);
  expect(judged).toEqual({ verdict: 0.25, reason: "the expression says 0.25", spans: [], failed: false });
  expect(tasks).toEqual([{ kind: "expression", code: "output", prompt }]);
});

test("without a sandbox nothing that people write is run", async () => {
  const [judged] = await ownPattern.ask(answersOf("x"), { pattern: "x", flags: "" }, prompt, none);
  expect(judged).toMatchObject({
    verdict: null,
    failed: true,
    reason: expect.stringContaining("no sandbox") as unknown,
  });
});

test.each([
  [ownPattern, { pattern: "(" }],
  [ownPattern, { pattern: "a", flags: "gg" }],
  [ownPattern, { pattern: "a", flags: "g" }],
  [ownExpression, { code: "import('x')" }],
  [ownExpression, { code: " " }],
])("refuses what cannot be run", (def, args) => {
  expect(def.args.safeParse(args).success).toBe(false);
});

test("of several objects in an answer one that fits is enough, and its place is shown", async () => {
  await containsJson.load?.();
  const { tools } = sandboxOf(
    { kind: "value", value: 0, said: "#: no a" },
    { kind: "value", value: 1, said: "" },
  );
  const args = containsJson.args.parse({ schema: { required: ["a"] } });
  const [judged, without] = await containsJson.ask(
    answersOf('x {"b": 1} {"a": 2}.', "none"),
    args,
    prompt,
    tools,
  );
  expect(judged).toMatchObject({ verdict: 1, spans: [[11, 19]] });
  expect(without).toMatchObject({ verdict: 0, reason: "no JSON object in the answer" });
});

test("words alone are named as what they are, and the nearest reference counts", async () => {
  const args = similar.args.parse({ value: ["cat mat", "dog"], threshold: 0.7 });
  const judged = await similar.ask(answersOf("The cat, the cat. Mat!", "dog", ""), args, prompt, none);
  // 1 + ln 2 twice and 1 against 1 and 1
  expect(judged.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    [1, "0.734 alike by words alone, no model, asked: 0.7"],
    [1, "1.000 alike by words alone, no model, asked: 0.7"],
    [0, "0.000 alike by words alone, no model, asked: 0.7"],
  ]);
});

test("a model that is not there gives no verdict, never the words' instead", async () => {
  const args = similar.args.parse({ value: ["dog"], by: "all-MiniLM-L6-v2" });
  expect(await similar.ask(answersOf("dog"), args, prompt, none)).toEqual([
    { verdict: null, reason: "all-MiniLM-L6-v2 is not loaded here", spans: [], failed: true },
  ]);
});

test("a model's vectors are compared, all texts in one call, and graded where asked", async () => {
  const vectors = new Map([
    ["a", [1, 0]],
    ["b", [0.6, 0.8]],
    ["c", [-1, 0]],
    ["reference", [1, 0]],
  ]);
  const calls: (readonly string[])[] = [];
  const embedder = {
    name: "a model",
    embed: (texts: readonly string[]) => {
      calls.push(texts);
      return Promise.resolve(texts.map((text) => Float32Array.from(vectors.get(text) ?? [])));
    },
  };
  const args = similar.args.parse({ value: ["reference"], by: "all-MiniLM-L6-v2", graded: true });
  const judged = await similar.ask(answersOf("a", "b", "c"), args, prompt, { sandbox: null, embedder });
  expect(judged.map(({ verdict }) => verdict?.toFixed(2))).toEqual(["1.00", "0.60", "0.00"]);
  expect(judged[1]?.reason).toBe("0.600 alike by a model");
  expect(calls).toEqual([["a", "b", "c", "reference"]]);
});
