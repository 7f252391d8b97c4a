import { expect, test } from "vitest";
import type { SeedRow } from "../../domain/run/records.ts";
import type { WorkerEvent } from "../protocol/messages.ts";
import { createRowBatcher } from "./row-batcher.ts";

const row = (step: number): SeedRow => ({
  seed: 1,
  kind: "rubric",
  step,
  rubricVersion: 1,
  summary: "",
  changes: [],
});

test("passes rows on at most four times a second, in order and each once", () => {
  const sent: { at: number; steps: number[] }[] = [];
  let time = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const emit = (event: WorkerEvent): void => {
    if (event.kind === "rows") sent.push({ at: time, steps: event.rows.map((each) => each.step) });
  };
  const batcher = createRowBatcher(
    emit,
    () => time,
    (callback, delay) => timers.push({ at: time + delay, callback }),
  );
  for (; time <= 1000; time += 10) {
    batcher.addRows([row(time)]);
    const due = timers.filter((timer) => timer.at <= time);
    timers = timers.filter((timer) => timer.at > time);
    for (const timer of due) timer.callback();
  }
  batcher.flush();
  expect(sent.length).toBeLessThanOrEqual(6);
  expect(sent.slice(1, -1).every((each, i) => each.at - (sent[i]?.at ?? 0) >= 250)).toBe(true);
  expect(sent.flatMap((each) => each.steps)).toEqual(Array.from({ length: 101 }, (_, i) => i * 10));
});
