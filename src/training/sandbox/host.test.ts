/** The sandbox's host with threads that a test plays: time limits, order, ends and new starts. No real time passes. */
import { expect, test } from "vitest";
import type { SandboxTask } from "../../domain/rubric/sandbox.ts";
import { createSandbox } from "./host.ts";
import type { FromSandbox, ToSandbox } from "./messages.ts";

const task = (pattern: string): SandboxTask => ({ kind: "pattern", pattern, flags: "" });
const hit: FromSandbox = { kind: "result", result: { kind: "matches", spans: [[0, 1]] } };
const ready: FromSandbox = { kind: "ready", left: [] };

/** Threads answer each text that does not hold "hang"; timers fire only when everything else has been said. */
function played(first: FromSandbox = ready) {
  const log: string[] = [];
  const timers = new Set<() => void>();
  const sandbox = createSandbox({
    spawn: (heard, broke) => {
      log.push("start");
      let alive = true;
      queueMicrotask(() => {
        heard(first);
      });
      return {
        post: ({ texts }: ToSandbox) => {
          log.push(texts.join(" "));
          for (const text of texts) {
            if (text === "crash") broke("out of memory");
            if (text === "hang" || text === "crash") return;
            if (text === "mute") break;
            heard(hit);
          }
          queueMicrotask(() => {
            if (alive) heard({ kind: "done" });
          });
        },
        end: () => {
          alive = false;
          log.push("end");
        },
      };
    },
    schedule: (callback) => {
      timers.add(callback);
      setTimeout(() => {
        if (timers.delete(callback)) callback();
      });
      return () => timers.delete(callback);
    },
  });
  return { sandbox, log };
}

test("one thread serves all tasks, one after the other", async () => {
  const { sandbox, log } = played();
  const both = await Promise.all([sandbox.run(task("a"), ["x", "y"]), sandbox.run(task("b"), ["z"])]);
  expect(both).toEqual([[hit.result, hit.result], [hit.result]]);
  expect(log).toEqual(["start", "x y", "z"]);
  expect(await sandbox.run(task("a"), [])).toEqual([]);
});

test("a text that hangs is ended with its thread; the texts after it are done by a new one", async () => {
  const { sandbox, log } = played();
  const results = await sandbox.run(task("a"), ["x", "hang", "y"]);
  expect(results.map(({ kind }) => kind)).toEqual(["matches", "none", "matches"]);
  expect(log).toEqual(["start", "x hang y", "end", "start", "y"]);
});

test("what ran out of time six times is not tried again; another task is", async () => {
  const { sandbox, log } = played();
  const results = await sandbox.run(
    task("a"),
    Array.from({ length: 9 }, () => "hang"),
  );
  expect(results.map((each) => each.kind === "none" && each.reason)).toEqual([
    ...Array.from({ length: 6 }, () => "took longer than 250 ms and was ended"),
    ...Array.from({ length: 3 }, () => "ran out of time on 6 answers and is not tried again"),
  ]);
  expect(log.filter((each) => each === "start")).toHaveLength(6);
  expect(await sandbox.run(task("b"), ["x"])).toEqual([hit.result]);
});

test("a call in time takes one off: what is late now and then is always tried again", async () => {
  const { sandbox } = played();
  for (let i = 0; i < 9; i++) {
    expect(await sandbox.run(task("a"), ["hang"])).toEqual([
      { kind: "none", reason: "took longer than 250 ms and was ended" },
    ]);
    expect(await sandbox.run(task("a"), ["x"])).toEqual([hit.result]);
  }
});

test("a thread that ends of itself costs one text its result, with the reason", async () => {
  const { sandbox } = played();
  expect(await sandbox.run(task("a"), ["crash", "x"])).toEqual([
    { kind: "none", reason: "out of memory" },
    hit.result,
  ]);
});

test("a thread that is done without a word costs each text its result, and never the run", async () => {
  const { sandbox, log } = played();
  const results = await sandbox.run(task("a"), ["mute", "x"]);
  expect(results).toEqual([{ kind: "none", reason: "the sandbox said nothing of it" }, hit.result]);
  expect(log).toEqual(["start", "mute x", "end", "start", "x"]);
});

test("nothing runs in a thread that could not be closed", async () => {
  const { sandbox, log } = played({ kind: "ready", left: ["fetch"] });
  expect(await sandbox.run(task("a"), ["x"])).toEqual([
    { kind: "none", reason: "the sandbox could not be closed: fetch is left" },
  ]);
  expect(log).toEqual(["start", "end"]);
});
