import { expect, test } from "vitest";
import type { ModelChoice } from "../../protocol/model-messages.ts";
import { choiceOf, draftOf, isSameChoice } from "./draft.ts";

const HUB = {
  kind: "hub",
  repo: "someone/small",
  file: null,
  revision: "main",
  endpoint: "http://hub.test",
  token: null,
  storage: "q8",
  thinking: false,
} satisfies ModelChoice;
const files = [{ path: "a/config.json", bytes: new Blob(["{}"]) }];
const FILES = { kind: "files", files, storage: "q8", thinking: false } satisfies ModelChoice;

test("a choice is the same by all that names and holds it", () => {
  expect(isSameChoice(HUB, { ...HUB })).toBe(true);
  expect(isSameChoice(HUB, { ...HUB, storage: "q4" })).toBe(false);
  expect(isSameChoice(HUB, { ...HUB, endpoint: "http://mirror.test" })).toBe(false);
  expect(isSameChoice(HUB, { kind: "bundled" })).toBe(false);
});

test("files chosen anew may hold other bytes under the same names", () => {
  expect(isSameChoice(FILES, { ...FILES })).toBe(true);
  expect(isSameChoice(FILES, { ...FILES, files: [...files] })).toBe(false);
  expect(isSameChoice(FILES, { ...FILES, thinking: true })).toBe(false);
});

test("a page's address, pasted from the browser, names its model and revision", () => {
  const pasted = { ...draftOf(HUB), repo: "http://hub.test/someone/small/tree/v2" };
  expect(choiceOf(pasted)).toEqual({ ...HUB, revision: "v2" });
  expect(choiceOf({ ...pasted, repo: "http://elsewhere.test/someone/small" })).toBeNull();
});
