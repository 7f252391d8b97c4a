import { expect, test } from "vitest";
import { accepts, initialRunState, reduceRun, type RunEvent, type RunState } from "./run-machine.ts";

const fault = { code: "not-finite" as const, message: "loss at step 4", where: "step 4" };
const play = (events: readonly RunEvent[], from: RunState = initialRunState): RunState =>
  events.reduce(reduceRun, from);

test("a run goes from loading through steps to paused and on to its end", () => {
  const running = play([{ type: "load" }, { type: "ready", step: 0, maxSteps: 2 }, { type: "start" }]);
  expect(running).toEqual({ phase: "running", step: 0, maxSteps: 2, fault: null });
  const paused = play([{ type: "stepped", step: 1 }, { type: "pause" }, { type: "halted" }], running);
  expect(paused).toMatchObject({ phase: "paused", step: 1 });
  const ended = play([{ type: "start" }, { type: "stepped", step: 2 }, { type: "halted" }], paused);
  expect(ended).toMatchObject({ phase: "stopped", step: 2 });
});

test("a restored run stands paused at its step", () => {
  expect(play([{ type: "load" }, { type: "ready", step: 40, maxSteps: 60 }])).toMatchObject({
    phase: "paused",
    step: 40,
  });
});

test("a fault keeps the last good step and training can go on from it", () => {
  const failed = play([
    { type: "ready", step: 0, maxSteps: 9 },
    { type: "start" },
    { type: "stepped", step: 3 },
    { type: "fail", fault },
  ]);
  expect(failed).toEqual({ phase: "failed", step: 3, maxSteps: 9, fault });
  expect(reduceRun(failed, { type: "start" })).toMatchObject({ phase: "running", step: 3, fault: null });
});

test("events that a phase does not take leave the very same state", () => {
  const idle = play([{ type: "ready", step: 0, maxSteps: 9 }]);
  for (const event of [
    { type: "pause" },
    { type: "halted" },
    { type: "stepped", step: 5 },
    { type: "stop" },
  ] as const) {
    expect(reduceRun(idle, event)).toBe(idle);
    expect(accepts(idle, event.type)).toBe(false);
  }
});
