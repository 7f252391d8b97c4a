import { expect, test } from "vitest";
import type { RunPhase } from "../protocol/run-machine.ts";
import { isUnfinished } from "./leaving.ts";

test.each([
  ["running", 4, true],
  ["paused", 30, true],
  ["failed", 30, true],
  ["paused", 3, false],
  ["idle", 0, false],
  ["stopped", 30, false],
  ["paused", 60, false],
] as [RunPhase, number, boolean][])(
  "a run that is %s at step %i of 60: asked before it is left = %s",
  (phase, step, asked) => {
    expect(isUnfinished({ phase, step, maxSteps: 60, fault: null })).toBe(asked);
  },
);
