/** The sandbox in a real browser's worker: nothing but the language is left in it, and what runs for ever ends alone. */
import { afterAll, expect, test } from "vitest";
import type { SandboxTask } from "../../../domain/rubric/sandbox.ts";
import { createBrowserSandbox } from "./browser-sandbox.ts";

const sandbox = createBrowserSandbox();
afterAll(sandbox.end);

const prompt = { text: "", fields: {} };
const code = (text: string): SandboxTask => ({ kind: "expression", code: text, prompt });
const one = async (task: SandboxTask, text = "The kettle."): Promise<unknown> =>
  (await sandbox.run(task, [text]))[0];
const yes = { kind: "value", value: 1, said: "true" };

test.each([
  ...["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "importScripts", "Worker"],
  ...["SharedWorker", "BroadcastChannel", "MessageChannel", "postMessage", "addEventListener", "onmessage"],
  ...[
    "navigator",
    "location",
    "self",
    "origin",
    "indexedDB",
    "caches",
    "cookieStore",
    "crypto",
    "performance",
  ],
  ...["setTimeout", "queueMicrotask", "structuredClone", "createImageBitmap", "OffscreenCanvas", "FontFace"],
  ...[
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "Date",
    "eval",
    "Function",
    "console",
    "Blob",
    "Request",
  ],
])("%s is gone", async (name) => {
  const gone = `typeof ${name} === "undefined" && globalThis[${JSON.stringify(name)}] === undefined`;
  expect(await one(code(gone))).toEqual(yes);
});

test("no name is left but the language's and two numbers, however it is looked for", async () => {
  const known = [
    ...[
      "AggregateError",
      "Array",
      "ArrayBuffer",
      "BigInt",
      "Boolean",
      "DataView",
      "Error",
      "EvalError",
      "Infinity",
    ],
    ...[
      "Float32Array",
      "Float64Array",
      "Int16Array",
      "Int32Array",
      "Int8Array",
      "Intl",
      "JSON",
      "Map",
      "Math",
    ],
    ...[
      "NaN",
      "Number",
      "Object",
      "Promise",
      "Proxy",
      "RangeError",
      "ReferenceError",
      "Reflect",
      "RegExp",
      "Set",
    ],
    ...["String", "Symbol", "SyntaxError", "TypeError", "URIError", "URL", "Uint16Array", "Uint32Array"],
    ...[
      "Uint8Array",
      "Uint8ClampedArray",
      "decodeURI",
      "decodeURIComponent",
      "encodeURI",
      "encodeURIComponent",
    ],
    ...["globalThis", "isFinite", "isNaN", "parseFloat", "parseInt", "undefined", "PERSISTENT", "TEMPORARY"],
  ];
  const names = `(() => {
    const known = ${JSON.stringify(known)};
    const found = [];
    for (let at = globalThis; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
      found.push(...Object.getOwnPropertyNames(at));
    const others = found.filter((name) => !known.includes(name));
    return { pass: others.length === 0 && found.length > 40, reason: "others: " + others.join(" ") };
  })()`;
  expect(await one(code(names))).toEqual({ kind: "value", value: 1, said: "others: " });
});

test("no address can be fetched by the word that stays", async () => {
  expect(await one(code("import('data:text/javascript,1')"))).toMatchObject({
    kind: "none",
    reason: "Error: the word import is not allowed",
  });
  const hidden = "(() => {}).constructor.constructor('return im' + 'port(\"data:,1\")')()";
  expect(await one(code(hidden))).toMatchObject({ kind: "none" });
});

test("nothing of an answer stays for the next one", async () => {
  const places = ["globalThis", "Object.getPrototypeOf(globalThis)", "Object.getPrototypeOf(() => 1)"];
  for (const place of [...places, "Object.getPrototypeOf([].values())"])
    expect(await one(code(`(${place}.kept = 1) === 1`))).toMatchObject({
      kind: "none",
      reason: expect.stringContaining("TypeError") as unknown,
    });
  expect(await one(code("(globalThis.JSON = null) === null"))).toMatchObject({ kind: "none" });
  expect(await one(code("JSON.parse('[true]')[0]"))).toEqual(yes);
});

test("a catastrophic pattern is ended, and the next task has its verdict", async () => {
  const catastrophe: SandboxTask = { kind: "pattern", pattern: "(a+)+$", flags: "" };
  const [first, second] = await sandbox.run(catastrophe, [`${"a".repeat(40)}b`, "aaa"]);
  expect(first).toEqual({ kind: "none", reason: "took longer than 250 ms and was ended" });
  expect(second).toEqual({ kind: "matches", spans: [[0, 3]] });
  expect(await one(code("output.endsWith('.')"))).toEqual(yes);
});
