import { expect, test } from "vitest";
import { span } from "./amounts.ts";

test.each([
  [430, "0.43 s"],
  [12_300, "12 s"],
  [99_400, "99 s"],
  [109_000, "1.8 min"],
  [6_540_000, "1.8 h"],
])("%i milliseconds are told as %s", (ms, told) => {
  expect(span(ms)).toBe(told);
});
