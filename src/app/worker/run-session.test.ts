import { beforeEach, describe, expect, test } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { rowsOfSeed, type RunRow, type SeedRow } from "../../domain/run/records.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import type { FakePolicyOptions } from "../../testing/fake-policy.ts";
import { fakeDeps, fakeSpec } from "../../testing/fake-run.ts";
import { memoryRunStore, type MemoryRunStore } from "../../testing/memory-run-store.ts";
import type { TrainingDeps } from "../../training/deps.ts";
import type { Policy } from "../../training/policy.ts";
import type { WorkerEvent } from "../protocol/messages.ts";
import { createLock } from "./lock.ts";
import { createRunClaims } from "./run-claims.ts";
import { RunSession, type RunSessionDeps } from "./run-session.ts";
import { nextTurn } from "./turns.ts";

let events: WorkerEvent[];
let store: MemoryRunStore;
let clock: number;
let ids = 0;
beforeEach(() => {
  ids = 0;
  events = [];
  store = memoryRunStore();
  clock = 0;
});

/** Gives the event loop a turn before each rollout, as the worker's engine does before each run. */
function takingTurns(deps: TrainingDeps): TrainingDeps {
  const { policy } = deps;
  const rollout: Policy["rollout"] = async (request) => {
    await nextTurn();
    return policy.rollout(request);
  };
  return { ...deps, policy: { ...policy, rollout } };
}

function session(options: FakePolicyOptions = {}, deps: Partial<RunSessionDeps> = {}): RunSession {
  return new RunSession({
    check: () => undefined,
    training: () => Promise.resolve(takingTurns(fakeDeps(options))),
    store,
    lock: createLock(),
    modelName: () => "fake-model",
    emit: (event) => events.push(event),
    now: () => (clock += 10),
    wallClock: () => 1000,
    schedule: (callback, delayMs) => setTimeout(callback, delayMs),
    newId: () => `run-${++ids}`,
    claimRun: createRunClaims(undefined),
    ...deps,
  });
}

/** Resolves when the state event of a phase arrives. */
async function phase(run: RunSession, wanted: string): Promise<void> {
  for (let i = 0; i < 5000; i++) {
    if (run.state.phase === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`never ${wanted}: ${JSON.stringify(run.state)}`);
}

const emittedRows = (): RunRow[] => events.flatMap((event) => (event.kind === "rows" ? event.rows : []));
const phases = (): string[] => {
  const all = events.flatMap((event) => (event.kind === "state" ? [event.state.phase] : []));
  return all.filter((each, i) => each !== all[i - 1]);
};

async function finished(spec: RunSpec): Promise<readonly RunRow[]> {
  const run = session();
  await run.create(spec);
  run.start();
  await phase(run, "stopped");
  return run.record?.rows ?? [];
}

describe("a run in the worker", () => {
  test("trains to the end, passes on every row once and is kept", async () => {
    const run = session();
    const { runId } = await run.create(fakeSpec());
    run.start();
    await phase(run, "stopped");
    expect(phases()).toEqual(["idle", "running", "stopped"]);
    expect(emittedRows()).toEqual(run.rows);
    expect(run.state.step).toBe(12);
    await run.stop();
    expect((await store.list()).runs).toMatchObject([{ id: runId, step: 12, maxSteps: 12, savedAt: 1000 }]);
    const saves = events.filter((event) => event.kind === "saved");
    expect(saves.map((event) => event.step)).toEqual([5, 10, 12]);
  });

  test("takes one step of every arm and pauses, with its rollouts measured after the update", async () => {
    const run = session();
    await run.create(fakeSpec());
    run.start(1);
    await phase(run, "paused");
    expect(run.state.step).toBe(1);
    await run.pause();
    const groups = run.rollouts({ seed: 7, arm: "static", step: 1 });
    expect(groups).toHaveLength(1);
    expect(groups[0]?.rollouts[0]?.tokens.every((token) => token.logProbAfter !== null)).toBe(true);
    expect(run.rollouts({ seed: 7, arm: "static", step: 9 })).toEqual([]);
  });

  test("pauses within a chunk and goes on after a reload with the numbers of an uninterrupted run", async () => {
    const whole = await finished(fakeSpec());
    let chunks = 0;
    const run = session({ onChunk: () => ++chunks });
    const { runId } = await run.create(fakeSpec());
    run.start();
    while ((run.record?.step ?? 0) < 4) await new Promise((resolve) => setTimeout(resolve, 0));
    await run.pause();
    expect(run.state.phase).toBe("paused");
    const stoodAt = chunks;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(chunks).toBe(stoodAt);

    const later = session();
    const { step, rows } = await later.resume(runId);
    expect(step).toBe(run.record?.step);
    expect(rows).toEqual(run.rows);
    expect(later.state.phase).toBe("paused");
    expect(later.rollouts({ seed: 7, arm: "pow3r", step })).toHaveLength(1);
    later.start();
    await phase(later, "stopped");
    const withoutTimes = (all: readonly RunRow[]): RunRow[] =>
      all.map((row) => (row.kind === "step" ? { ...row, metrics: { ...row.metrics, step_time: 0 } } : row));
    expect(withoutTimes(later.record?.rows ?? [])).toEqual(withoutTimes(whole));
  });

  test("pauses again when it was sent on while the last pause was still being saved", async () => {
    const run = session();
    store.saveMs = 30;
    await run.create(fakeSpec({}, { save_steps: 100, max_steps: 5000 }));
    run.start();
    const first = run.pause();
    await phase(run, "paused");
    run.start(); // before `first` has ended
    await first;
    await run.pause();
    expect(run.state.phase).toBe("paused");
  });

  test("fails at its last good step with the fault, is kept, and can be tried again", async () => {
    const run = session({
      distortGradient: (call, result) => (call === 5 ? { ...result, loss: Number.NaN } : result),
    });
    await run.create(fakeSpec());
    run.start();
    await phase(run, "failed");
    expect(run.state).toMatchObject({
      step: 2,
      fault: { code: "not-finite", where: 'step 3, seed 7, arm "pow3r", loss' },
    });
    run.start();
    await phase(run, "stopped");
    expect(run.state.step).toBe(12);
    expect((await store.list()).runs).toHaveLength(1);
  });

  test("goes on when it cannot be saved, and says so", async () => {
    store.fault = new Error("quota exceeded");
    const run = session();
    await run.create(fakeSpec());
    run.start();
    await phase(run, "stopped");
    await run.stop();
    const faults = events.filter((event) => event.kind === "fault");
    expect(faults).toHaveLength(3); // at steps 5, 10 and 12
    expect(faults[0]?.fault.message).toContain("quota exceeded");
    expect(run.state).toMatchObject({ step: 12, fault: null });
  });

  test("is replaced by a fresh one while it trains", async () => {
    const run = session();
    await run.create(fakeSpec());
    run.start();
    await phase(run, "running");
    const { runId } = await run.create(fakeSpec({ seed: 9 }));
    expect(runId).toBe("run-2");
    expect(run.state).toMatchObject({ phase: "idle", step: 0 });
    expect(run.record?.rows).toEqual([]);
  });

  test("a fresh run that is trained and paused at once leaves what was kept alone", async () => {
    const first = session();
    const { runId } = await first.create(fakeSpec());
    first.start(5);
    await phase(first, "paused");
    await first.pause();
    await first.create(fakeSpec());
    first.start();
    await first.pause();
    expect(first.state).toMatchObject({ phase: "paused", step: 0 });
    expect((await store.list()).runs).toMatchObject([{ id: runId, step: 5 }]);
    await first.create(fakeSpec());
    first.start(1);
    await phase(first, "paused");
    await first.pause();
    expect((await store.list()).runs.map(({ id, step }) => [id, step])).toEqual([
      [runId, 5],
      ["run-3", 1],
    ]);
  });

  test("a run that cannot be made leaves the present one training; one that breaks on the way says so", async () => {
    let refuses = false;
    const broken = new PlaygroundError({
      code: "session-failed",
      where: "engine",
      expected: "a session",
      got: "none",
      next: "Reload.",
    });
    const run = session(
      {},
      {
        check: () => {
          if (refuses) throw broken;
        },
        training: () => (ids === 3 ? Promise.reject(broken) : Promise.resolve(takingTurns(fakeDeps()))),
      },
    );
    const { runId } = await run.create(fakeSpec());
    run.start();
    refuses = true;
    await expect(run.create(fakeSpec({ seed: 9 }))).rejects.toBe(broken);
    await phase(run, "stopped");
    expect(run.record).toMatchObject({ id: runId, step: 12 });
    await expect(run.resume(runId)).rejects.toBe(broken);
    expect(run.record).toMatchObject({ id: runId, step: 12 });
    refuses = false;
    ids = 2;
    await expect(run.create(fakeSpec({ seed: 9 }))).rejects.toBe(broken);
    expect(run.record).toBeNull();
    expect(run.state).toMatchObject({ phase: "failed", fault: { code: "session-failed" } });
    await run.create(fakeSpec());
    expect(run.state).toMatchObject({ phase: "idle", step: 0 });
  });

  test("holds its run against other tabs until it is replaced", async () => {
    const held = new Set<string>();
    const claimRun = (id: string): Promise<() => void> => {
      if (held.has(id)) return Promise.reject(new Error("open in another tab"));
      held.add(id);
      return Promise.resolve(() => held.delete(id));
    };
    const one = session({}, { claimRun });
    const other = session({}, { claimRun });
    const { runId } = await one.create(fakeSpec());
    one.start(5);
    await phase(one, "paused");
    await one.pause();
    const { runId: theirs } = await other.create(fakeSpec());
    await expect(other.resume(runId)).rejects.toThrow("another tab");
    expect(other.record?.id).toBe(theirs);
    expect((await one.resume(runId)).step).toBe(5); // its own, from what was kept
    await one.create(fakeSpec());
    expect((await other.resume(runId)).step).toBe(5);
    expect([...held]).toEqual(["run-3", runId]);
  });

  test("an edit during a step that a pause ends is what a resumed run shows and trains on", async () => {
    let stop = (): void => undefined;
    const run = session({
      onChunk: () => {
        if (run.record?.step !== 3) return;
        stop();
        stop = () => undefined;
      },
    });
    const { runId } = await run.create(fakeSpec());
    const { rubric } = fakeSpec();
    const edited = { ...rubric, criteria: rubric.criteria.slice(1) };
    const paused = new Promise<void>((resolve) => {
      stop = () => {
        expect(run.editRubric(edited).fromStep).toBe(5);
        void run.pause().then(resolve);
      };
    });
    run.start();
    await paused;
    expect(run.state.step).toBe(3);
    const told = emittedRows().filter((row) => row.kind === "rubric");
    expect(told.map((row) => row.step)).toEqual([5, 4]);
    const later = session();
    expect((await later.resume(runId)).rubric).toEqual(edited);
    later.start(1);
    await phase(later, "paused");
    expect(later.record?.rows.at(-1)).toMatchObject({ kind: "step", step: 4, rubricVersion: 2 });
  });

  test("keeps a checkpoint every save_steps steps, and an earlier one opens as a run of its own", async () => {
    const whole = await finished(fakeSpec());
    const run = session();
    const { runId } = await run.create(fakeSpec({}, { save_steps: 4 }));
    run.start();
    await phase(run, "stopped");
    await run.stop();
    const steps = async (id: string) =>
      (await store.list()).runs.find((saved) => saved.id === id)?.checkpoints.map(({ step }) => step);
    expect(await steps(runId)).toEqual([12, 8, 4]);
    const later = session({}, { newId: () => "branch" });
    expect(await later.resume(runId, "4")).toMatchObject({ runId: "branch", step: 4 });
    later.start();
    await phase(later, "stopped");
    await later.stop();
    expect(later.record?.rows).toEqual(whole);
    expect(await steps(runId)).toEqual([12, 8, 4]);
    expect(await steps("branch")).toEqual([12, 8]);
  });

  test("its own run is taken from where it stands, though nothing of it could be kept", async () => {
    store.fault = new Error("no storage");
    const run = session();
    const { runId } = await run.create(fakeSpec());
    run.start(3);
    await phase(run, "paused");
    await run.rest();
    expect(await run.resume(runId)).toMatchObject({ runId, step: 3 });
  });

  test("keeps what is new when the page may end, once", async () => {
    const run = session();
    await run.create(fakeSpec());
    await run.keepNow();
    expect((await store.list()).runs).toEqual([]);
    run.start(2);
    await phase(run, "paused");
    await run.pause();
    events = [];
    await run.keepNow();
    expect(events).toEqual([]);
    run.editRubric(fakeSpec().rubric);
    await run.keepNow();
    expect(events.filter(({ kind }) => kind === "saved")).toMatchObject([{ step: 2 }]);
    expect((await store.list()).runs[0]).toMatchObject({ step: 2, model: "fake-model" });
  });

  test.each([
    "Array buffer allocation failed",
    "WebAssembly.Memory.grow(): Maximum memory size exceeded",
    "std::bad_alloc",
  ])(
    "memory that runs out in the middle of a step is named, and the step can be taken again: %s",
    async (message) => {
      const whole = await finished(fakeSpec());
      const run = session({
        distortGradient: (call, result) => {
          if (call === 5) throw new RangeError(message);
          return result;
        },
      });
      const { runId } = await run.create(fakeSpec());
      run.start();
      await phase(run, "failed");
      expect(run.state).toMatchObject({ step: 2, fault: { code: "out-of-memory", where: "step 3" } });
      await run.keepNow();
      expect((await store.list()).runs.find(({ id }) => id === runId)?.step).toBe(2);
      run.start();
      await phase(run, "stopped");
      expect(run.record?.rows).toEqual(whole);
    },
  );

  test("goes on with half the learning rate from the step that broke, which its settings keep", async () => {
    const run = session({
      distortGradient: (call, result) => (call === 5 ? { ...result, loss: Number.NaN } : result),
    });
    const { runId } = await run.create(fakeSpec());
    run.start();
    await phase(run, "failed");
    await run.scaleLearningRate(0.5);
    run.start();
    await phase(run, "stopped");
    await run.stop();
    const edits = [{ seed: 7, fromStep: 3, factor: 0.5 }];
    expect(run.record?.spec.learningRateEdits).toEqual(edits);
    expect(run.record?.rows).toEqual(await finished(fakeSpec({ learningRateEdits: edits })));
    expect((await session().resume(runId)).spec.learningRateEdits).toEqual(edits);
  });

  test("tells what cannot be done", async () => {
    const run = session();
    expect(() => {
      run.start();
    }).toThrow(PlaygroundError);
    await expect(run.resume("nobody")).rejects.toMatchObject({ code: "record-invalid" });
    await run.create(fakeSpec());
    run.start();
    expect(() => {
      run.start();
    }).toThrow("running");
    await run.stop();
    expect(run.state.phase).toBe("stopped");
  });

  test("sends a resumed run's pinned answers after its rows", async () => {
    const run = session();
    const { runId } = await run.create(fakeSpec());
    run.pinPrompt("held-out-0");
    run.start(1);
    await phase(run, "paused");
    await run.pause();
    events = [];
    await run.resume(runId);
    expect(events.some((event) => event.kind === "pinned")).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const pinned = events.find((event) => event.kind === "pinned");
    expect(pinned?.groups.map((group) => group.arm)).toEqual(["pow3r", "static"]);
  });
});

describe("a run of several seeds", () => {
  const SEEDS = [7, 8, 9];
  /** A seed's rows as that seed alone has them. */
  const of = (rows: readonly SeedRow[], seed: number): readonly object[] =>
    rows.filter((row) => row.seed === seed);
  const alone = async (seed: number): Promise<readonly object[]> =>
    rowsOfSeed(seed, await finished(fakeSpec({ seed })));

  test("gives each seed the rows that it has alone, passes each on once and is kept as one run", async () => {
    const run = session();
    const { runId } = await run.create(fakeSpec(), SEEDS);
    run.start();
    await phase(run, "stopped");
    await run.stop();
    for (const seed of SEEDS) expect(of(run.rows, seed)).toEqual(await alone(seed));
    const first = events.slice(
      0,
      events.findIndex((event) => event.kind === "state" && event.state.phase === "stopped"),
    );
    const passed = first.flatMap((event) => (event.kind === "rows" ? event.rows : []));
    for (const seed of SEEDS) expect(of(passed, seed)).toEqual(of(run.rows, seed));
    const saved = (await store.list()).runs.find(({ id }) => id === runId);
    expect(saved).toMatchObject({ step: 12, seeds: SEEDS, spec: { seed: 7 } });
    const later = session();
    const restored = await later.resume(runId);
    expect(restored).toMatchObject({ seeds: SEEDS, step: 12 });
    expect(restored.rows).toEqual(run.rows);
  });

  test("takes one step of every seed, and goes on from the middle of a round", async () => {
    const whole = session();
    await whole.create(fakeSpec(), SEEDS);
    whole.start();
    await phase(whole, "stopped");
    const run = session();
    const { runId } = await run.create(fakeSpec(), SEEDS);
    run.start(1);
    await phase(run, "paused");
    expect(run.records.map(({ step }) => step)).toEqual([1, 1, 1]);
    run.start();
    while ((run.records[0]?.step ?? 0) < 3) await new Promise((resolve) => setTimeout(resolve, 0));
    await run.pause();
    const steps = run.records.map(({ step }) => step);
    expect(steps[0]).toBeGreaterThan(steps[2] ?? 0);
    expect(run.state.step).toBe(Math.min(...steps));
    const later = session();
    await later.resume(runId);
    expect(later.records.map(({ step }) => step)).toEqual(steps);
    later.start();
    await phase(later, "stopped");
    expect(later.rows).toEqual(whole.rows);
  });

  test("sends and measures the rollouts of the seed that is looked at, and keeps those of all", async () => {
    const run = session();
    await run.create(fakeSpec(), SEEDS);
    run.focusSeed(8);
    run.start(1);
    await phase(run, "paused");
    await run.pause();
    const sent = events.flatMap((event) => (event.kind === "rollouts" ? [event.seed] : []));
    expect(new Set(sent)).toEqual(new Set([8]));
    const tokens = (seed: number) =>
      run.rollouts({ seed, arm: "static", step: 1 })[0]?.rollouts[0]?.tokens ?? [];
    expect(tokens(8).every(({ logProbAfter }) => logProbAfter !== null)).toBe(true);
    expect(tokens(9).every(({ logProbAfter }) => logProbAfter === null)).toBe(true);
    expect(run.focusSeed(9).groups.map(({ arm }) => arm)).toEqual(["pow3r", "static"]);
    expect(() => run.focusSeed(5)).toThrow("expected one of 7, 8, 9");
  });
});
