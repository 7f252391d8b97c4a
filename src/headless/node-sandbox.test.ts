/** The sandbox on a real thread: what it computes, what it takes away, and that whatever runs for ever ends alone. */
import { afterAll, expect, test } from "vitest";
import type { SandboxTask } from "../domain/rubric/sandbox.ts";
import { createNodeSandbox } from "./node-sandbox.ts";

const sandbox = createNodeSandbox();
afterAll(sandbox.end);

const prompt = { text: "Where is my kettle?", fields: { product: "kettle" } };
const code = (text: string): SandboxTask => ({ kind: "expression", code: text, prompt });
const pattern = (text: string, flags = ""): SandboxTask => ({ kind: "pattern", pattern: text, flags });
const one = async (task: SandboxTask, text = "The kettle is here."): Promise<unknown> =>
  (await sandbox.run(task, [text]))[0];
const value = (of: number, said: string) => ({ kind: "value", value: of, said });
/** Backtracks for longer than the universe lasts. */
const catastrophe = pattern("(a+)+$");
const bomb = `${"a".repeat(40)}b`;

test("patterns tell their places, schemas and expressions their value", async () => {
  expect(await sandbox.run(pattern("k[a-z]+", "i"), ["The Kettle kit", "no", ""])).toEqual([
    {
      kind: "matches",
      spans: [
        [4, 10],
        [11, 14],
      ],
    },
    { kind: "matches", spans: [] },
    { kind: "matches", spans: [] },
  ]);
  expect(await one(pattern("(?:)", "u"), "😀")).toEqual({
    kind: "matches",
    spans: [
      [0, 0],
      [2, 2],
    ],
  });
  expect(await one(pattern("(?:)"), "ab")).toEqual({
    kind: "matches",
    spans: [
      [0, 0],
      [1, 1],
      [2, 2],
    ],
  });
  const schema = { type: "object", required: ["a"], properties: { a: { type: "number" } } };
  const fits = await sandbox.run({ kind: "schema", schema }, ['{"a": 1}', '{"a": "x"}', "{}"]);
  expect(fits.map((each) => each.kind === "value" && each.value)).toEqual([1, 0, 0]);
  expect(await one(code("output.includes(context.vars.product)"))).toEqual(value(1, "true"));
  expect(await one(code("prompt.length / 100"))).toEqual(value(0.19, "0.19"));
  expect(
    await one(code("const n = output.length;\nreturn { pass: n > 99, reason: `${n} letters` };")),
  ).toEqual(value(0, "19 letters"));
});

test("what throws or says nothing usable gives no verdict, with the reason", async () => {
  expect(await one(pattern("("))).toMatchObject({
    kind: "none",
    reason: expect.stringContaining("Invalid regular") as unknown,
  });
  expect(await one(code("output.nothing.at"))).toMatchObject({
    kind: "none",
    reason: expect.stringContaining("TypeError") as unknown,
  });
  expect(await one(code("7"))).toMatchObject({
    kind: "none",
    reason: expect.stringContaining("got 7") as unknown,
  });
  expect(await one(code("output +"))).toMatchObject({
    kind: "none",
    reason: expect.stringContaining("SyntaxError") as unknown,
  });
  expect(await one(code("(() => { throw { toString() { throw 1; } }; })()"))).toMatchObject({
    reason: "an error that cannot be said",
  });
});

test("a catastrophic pattern costs its own answer a verdict; the next answer and the next task have theirs", async () => {
  const results = await sandbox.run(catastrophe, ["aaa", bomb, "aab", "a"]);
  expect(results.map((each) => each.kind)).toEqual(["matches", "none", "matches", "matches"]);
  expect(results[1]).toEqual({ kind: "none", reason: "took longer than 250 ms and was ended" });
  const beside = await Promise.all([one(catastrophe, bomb), one(pattern("a")), one(code("true"))]);
  expect(beside).toMatchObject([{ kind: "none" }, { kind: "matches" }, { kind: "value", value: 1 }]);
});

test("an expression that never ends is ended, also one that hides in what is done later", async () => {
  expect(await one(code("(() => { for (;;); })()"))).toMatchObject({ kind: "none" });
  // its value is there, and what hangs behind it stops nobody
  expect(await one(code("(Promise.resolve().then(() => { for (;;); }), true)"))).toEqual(value(1, "true"));
  expect(
    await one(code("(() => { const a = []; for (;;) a.push(new Array(1e6).fill(1)); })()")),
  ).toMatchObject({
    kind: "none",
  });
  expect(await one(code("true"))).toEqual(value(1, "true"));
});

test.each([
  ...["fetch", "XMLHttpRequest", "WebSocket", "importScripts", "require", "process", "module", "setTimeout"],
  ...["postMessage", "addEventListener", "navigator", "location", "self", "Worker", "indexedDB", "caches"],
  ...["Date", "performance", "crypto", "WebAssembly", "SharedArrayBuffer", "Atomics", "eval", "Function"],
])("%s is gone", async (name) => {
  const gone = `typeof ${name} === "undefined" && globalThis[${JSON.stringify(name)}] === undefined`;
  expect(await one(code(gone))).toEqual(value(1, "true"));
});

test.each(["() => {}", "async () => {}", "function* () {}", "async function* () {}"])(
  "no %s makes code of text",
  async (kind) => {
    expect(await one(code(`typeof (${kind}).constructor("return 1") !== "function"`))).toEqual(
      value(1, "true"),
    );
  },
);

test.each([
  "(() => {}).constructor('return 1')() === 1",
  "Math.random() >= 0",
  "import('node:fs') !== null",
  "(RegExp.prototype.exec = () => null) === null",
  "(Array.prototype.map = () => []) === null",
  "(Object.getPrototypeOf([].values()).next = () => ({ done: true })) === null",
  "(Object.getPrototypeOf(''.matchAll(/x/g)).next = () => ({ done: true })) === null",
  "(Object.getPrototypeOf(Object.getPrototypeOf((function* () {})())).x = 1) === null",
  "(Object.getPrototypeOf(() => 1).call = () => 1) === null",
  "(Object.getPrototypeOf(Uint8Array.prototype).fill = null) === null",
  "(Intl.NumberFormat.prototype.format = null) === null",
  "(globalThis.JSON = { parse: () => 1 }) === null",
  "(globalThis.seen = 1) === null",
  "new Intl.DateTimeFormat('en').format() === ''",
  "(Error.prepareStackTrace = (_, sites) => sites) === null",
])("%s is refused", async (text) => {
  expect(await one(code(text))).toMatchObject({ kind: "none" });
});
