/**
 * The sandbox as verdicts are asked of it: one thread, one task at a time, a time limit for every text. A thread that runs out of
 * time is ended and another one started; the text's result says so, the next texts are done by the new thread.
 */
import type { Sandbox, SandboxResult, SandboxTask } from "../../domain/rubric/sandbox.ts";
import type { FromSandbox, ToSandbox } from "./messages.ts";

export interface SandboxThread {
  readonly post: (message: ToSandbox) => void;
  readonly end: () => void;
}

export interface SandboxMeans {
  /** Starts a thread; what it says and what ends it of itself come back. */
  readonly spawn: (heard: (message: FromSandbox) => void, broke: (reason: string) => void) => SandboxThread;
  /** Calls back after so many milliseconds unless it is called off. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
}

/** For one text. Patterns that end at all take a thousandth of it. */
const TEXT_LIMIT_MS = 250;
/** A thread's code is fetched and read first. */
const START_LIMIT_MS = 20_000;
/** A result may wait in the queue while this thread was busy: the clock alone does not decide. */
const GRACE_MS = 20;
/** A task that ran out of time on so many texts is not tried again; each call that none was late in takes one off. */
const MOST_TIMEOUTS = 6;

/** What a thread said last, or that it said nothing in time. */
type Heard = FromSandbox | { readonly kind: "late" } | { readonly kind: "broke"; readonly reason: string };

export interface OwnedSandbox extends Sandbox {
  /** Ends its thread; a later task starts another. */
  readonly end: () => void;
}

export function createSandbox(means: SandboxMeans): OwnedSandbox {
  let thread: Thread | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  const timeouts = new Map<string, number>();
  const end = (): void => {
    thread?.end();
    thread = null;
  };

  const opened = async (): Promise<Thread | string> => {
    if (thread !== null) return thread;
    const fresh = openThread(means);
    const first = await fresh.next(START_LIMIT_MS);
    const refusal = refusalOf(first);
    if (refusal === null) return (thread = fresh);
    fresh.end();
    return refusal;
  };

  /** Some of the texts' results, at least one. */
  const attempt = async (task: SandboxTask, texts: readonly string[]): Promise<SandboxResult[]> => {
    const key = keyOf(task);
    const late = timeouts.get(key) ?? 0;
    if (late >= MOST_TIMEOUTS)
      return texts.map(() => none(`ran out of time on ${late} answers and is not tried again`));
    const open = await opened();
    if (typeof open === "string") return texts.map(() => none(open));
    const results: SandboxResult[] = [];
    open.post({ task, texts });
    for (;;) {
      const heard = await open.next(TEXT_LIMIT_MS);
      if (heard.kind === "result") results.push(heard.result);
      else if (heard.kind === "done" && results.length >= texts.length) return results;
      else if (heard.kind !== "ready") {
        end();
        timeouts.set(key, late + 1);
        return results.length < texts.length ? [...results, none(whyNone(heard))] : results;
      }
    }
  };

  const run = async (task: SandboxTask, texts: readonly string[]): Promise<SandboxResult[]> => {
    const results: SandboxResult[] = [];
    const before = timeouts.get(keyOf(task)) ?? 0;
    while (results.length < texts.length) results.push(...(await attempt(task, texts.slice(results.length))));
    // a machine that is busy for a moment does not count for ever
    const inTime = (timeouts.get(keyOf(task)) ?? 0) === before && before < MOST_TIMEOUTS;
    if (inTime && before > 0) timeouts.set(keyOf(task), before - 1);
    return results;
  };

  return {
    end,
    run: (task, texts) => {
      const mine = turn.then(() => run(task, texts));
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}

/** The same pattern, schema or code, whatever the prompt. */
function keyOf(task: SandboxTask): string {
  return task.kind === "expression" ? task.code : JSON.stringify(task);
}

interface Thread extends SandboxThread {
  /** What it says next; `late` when it says nothing for so long. */
  readonly next: (limitMs: number) => Promise<Heard>;
}

function openThread({ spawn, schedule }: SandboxMeans): Thread {
  const waiting: Heard[] = [];
  let wake: (() => void) | null = null;
  const hear = (heard: Heard): void => {
    waiting.push(heard);
    wake?.();
  };
  const thread = spawn(hear, (reason) => {
    hear({ kind: "broke", reason });
  });
  const pause = (delayMs: number): Promise<void> =>
    new Promise((resolve) => {
      const stop = schedule(resolve, delayMs);
      wake = () => {
        stop();
        resolve();
      };
    });
  return {
    ...thread,
    next: async (limitMs) => {
      if (waiting.length === 0) await pause(limitMs);
      if (waiting.length === 0) await pause(GRACE_MS);
      return waiting.shift() ?? { kind: "late" };
    },
  };
}

function whyNone(heard: Exclude<Heard, { readonly kind: "ready" | "result" }>): string {
  if (heard.kind === "late") return `took longer than ${TEXT_LIMIT_MS} ms and was ended`;
  return heard.kind === "done" ? "the sandbox said nothing of it" : heard.reason;
}

function refusalOf(heard: Heard): string | null {
  if (heard.kind === "broke") return `the sandbox did not start: ${heard.reason}`;
  if (heard.kind !== "ready") return `the sandbox did not start within ${START_LIMIT_MS / 1000} s`;
  return heard.left.length === 0 ? null : `the sandbox could not be closed: ${heard.left.join(", ")} is left`;
}

function none(reason: string): SandboxResult {
  return { kind: "none", reason };
}
