import { expect, test, vi } from "vitest";
import type { FaultMessage } from "../../base/errors.ts";
import { customerReply } from "../../domain/scenarios/customer-reply.ts";
import { yourOwnPrompts } from "../../domain/scenarios/your-own-prompts.ts";
import { FakeWorker, type FakeWorkerOptions } from "../../testing/fake-worker.ts";
import { createWorkerClient } from "../protocol/client.ts";
import { createApp } from "./app-store.ts";
import { armOf, buildSpec, settingsOf } from "./set-up.ts";
import { visitStorage } from "./visit-storage.ts";

function open(options: FakeWorkerOptions = {}, storage = visitStorage()) {
  const worker = new FakeWorker(options);
  const app = createApp({
    client: createWorkerClient(() => worker, "fake-worker"),
    openStorage: () => storage,
    scenarios: [customerReply, yourOwnPrompts],
  });
  const state = () => app.store.getState();
  const sent = (name: string) => worker.requests.filter((request) => request.name === name);
  return { app, worker, storage, state, sent };
}
const first = customerReply.setUps[0];

/** Timers of the fake worker on a busy machine. */
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 });

test("opening loads the model and makes a run of POW3R beside static", async () => {
  const { app, state } = open();
  await app.actions.boot();
  expect(state().run).toMatchObject({ phase: "idle", step: 0, maxSteps: 60 });
  expect(state().spec?.arms.map((arm) => arm.id)).toEqual(["static-scalar", "pow3r"]);
  expect(state().spec?.judgeNoise).toBe(first.judgeNoise);
  expect(state().focusArm).toBe("pow3r");
});

test("a training run fills the buffer, the newest steps and the rollouts of each arm", async () => {
  const { app, state } = open();
  await app.actions.boot();
  await app.actions.train();
  await eventually(() => {
    expect(state().run.phase).toBe("stopped");
  });
  expect(app.buffer.steps("pow3r")).toHaveLength(60);
  expect(app.buffer.evaluations("static-scalar").map((row) => row.step)).toEqual([
    0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60,
  ]);
  expect(state().latest["static-scalar"]?.step).toBe(60);
  expect(state().groups["pow3r"]?.[0]).toMatchObject({ arm: "pow3r", step: 60 });
});

test("pausing shows at once and stops after the step at hand", async () => {
  const { app, state } = open({ stepMs: 5 });
  await app.actions.boot();
  await app.actions.train();
  const pausing = app.actions.pause();
  expect(state().run.phase).toBe("pausing");
  await pausing;
  await eventually(() => {
    expect(state().run.phase).toBe("paused");
  });
  const { step } = state().run;
  expect(step).toBeLessThan(60);
  await app.actions.step();
  await eventually(() => {
    expect(state().run).toMatchObject({ phase: "paused", step: step + 1 });
  });
});

test("a reset empties charts and rollouts but keeps the rubric", async () => {
  const { app, state } = open();
  await app.actions.boot();
  app.actions.setWeight("names-product", 4);
  await app.actions.step();
  await eventually(() => {
    expect(state().run.step).toBe(1);
  });
  await app.actions.reset();
  expect(app.buffer.rows()).toHaveLength(0);
  expect(state()).toMatchObject({ latest: {}, groups: {}, run: { phase: "idle", step: 0 } });
  expect(state().spec?.rubric.criteria.find((c) => c.id === "names-product")?.weight).toBe(4);
});

test("an edit goes to the run, is kept for the next visit and can be undone", async () => {
  const { app, state, sent, storage } = open();
  await app.actions.boot();
  app.actions.setWeight("names-product", 7);
  await eventually(() => {
    expect(state().editFromStep).toBe(1);
  });
  expect(sent("editRubric")).toHaveLength(1);
  expect(app.buffer.edits()[0]?.summary).toContain("1 → 7");
  const again = open({}, storage);
  expect(again.state().rubric).toEqual(state().rubric);
  app.actions.undoEdit();
  expect(state().rubric).toEqual(first.rubric);
  expect(open({}, storage).state().rubric).toEqual(first.rubric);
});

test("what was undone can be done again, until another edit", async () => {
  const { app, state } = open();
  await app.actions.boot();
  app.actions.setWeight("names-product", 7);
  app.actions.moveCriterion("names-product", { category: "Help", at: 0 });
  const moved = state().rubric;
  app.actions.undoEdit();
  app.actions.undoEdit();
  expect(state().rubric).toEqual(first.rubric);
  app.actions.redoEdit();
  app.actions.redoEdit();
  expect(state().rubric).toEqual(moved);
  app.actions.redoEdit();
  expect(state().rubric).toEqual(moved);
  app.actions.undoEdit();
  app.actions.setWeight("names-product", 5);
  expect(state().redo).toEqual([]);
});

test("an edit that a pause overtook counts from the step that the worker names then", async () => {
  const { app, worker, state } = open();
  await app.actions.boot();
  app.store.setState({ editFromStep: 5 });
  const rows = [{ seed: 1, kind: "rubric" as const, step: 4, rubricVersion: 2, summary: "", changes: [] }];
  worker.onmessage?.({ data: { kind: "event", event: { kind: "rows", rows, stepsPerSecond: null } } });
  expect(state().editFromStep).toBe(4);
});

test("a rubric that cannot be trained on is shown and explained, but neither sent nor kept", async () => {
  const { app, state, sent, storage } = open();
  await app.actions.boot();
  for (const criterion of first.rubric.criteria) app.actions.removeCriterion(criterion.id);
  expect(state().rubricProblem).toContain("at least one criterion");
  const valid = sent("editRubric").length;
  expect(valid).toBe(first.rubric.criteria.length - 1);
  expect(open({}, storage).state().rubric.criteria).toHaveLength(1);
  app.actions.undoEdit();
  expect(state().rubricProblem).toBeNull();
});

const KEPT = `rubric-playground/v1/rubric/${customerReply.id}/${first.id}`;
const withCheck = (type: string): string =>
  JSON.stringify({
    title: "x",
    criteria: [{ id: "a", text: "a", category: "c", weight: 1, check: { type, args: {} } }],
  });

test.each([
  ["is no JSON", '{"title":"mine', "JSON"],
  ["does not validate", '{"title":"x","criteria":[]}', "criteria"],
  ["holds a check that does not exist", withCheck("constructor"), '"constructor"'],
  ["holds a check whose arguments do not fit", withCheck("contains-any"), "phrases"],
])(
  "a kept rubric that %s is told until dismissed, left unused, and never written over",
  async (_, text, says) => {
    const storage = visitStorage();
    storage.setItem(KEPT, text);
    const { app, state } = open({}, storage);
    await app.actions.boot();
    expect(state().keptFault).toMatchObject({
      code: "record-invalid",
      message: expect.stringContaining(says) as string,
    });
    expect(state().keptFault?.message).toContain(`${KEPT}/unread`);
    expect(state().rubric).toEqual(first.rubric);
    app.actions.setWeight("names-product", 7);
    expect(storage.getItem(KEPT)).toContain('"weight":7');
    expect(storage.getItem(`${KEPT}/unread`)).toBe(text);
    expect(open({}, storage).state().rubric).toEqual(state().rubric);
    app.actions.dismissKeptFault();
    expect(state().keptFault).toBeNull();
  },
);

test("a broken rubric does not cost the kept prompts", async () => {
  const storage = visitStorage();
  const one = open({}, storage);
  await one.app.actions.boot();
  await one.app.actions.chooseScenario(yourOwnPrompts.id);
  const prompts = yourOwnPrompts.trainPrompts.slice(0, 4);
  await one.app.actions.applySettings({ settings: one.state().settings, prompts, engine: "auto" });
  storage.setItem(`rubric-playground/v1/rubric/${yourOwnPrompts.id}/${yourOwnPrompts.setUps[0].id}`, "{");
  const { app, state } = open({}, storage);
  await app.actions.boot();
  await app.actions.chooseScenario(yourOwnPrompts.id);
  expect(state().keptFault?.code).toBe("record-invalid");
  expect(state().prompts).toEqual(prompts);
});

test("a browser without storage keeps edits for the visit, and says so", async () => {
  const worker = new FakeWorker();
  const app = createApp({
    client: createWorkerClient(() => worker, "fake-worker"),
    openStorage: () => {
      throw new Error("SecurityError: access is denied");
    },
    scenarios: [customerReply],
  });
  await app.actions.boot();
  const state = () => app.store.getState();
  expect(state().keptFault).toMatchObject({
    code: "storage-failed",
    message: expect.stringContaining("access is denied") as string,
  });
  app.actions.setWeight("names-product", 7);
  await app.actions.chooseSetUp("mild");
  await app.actions.chooseSetUp(first.id);
  expect(state().rubric.criteria.find(({ id }) => id === "names-product")?.weight).toBe(7);
  expect(state().fault).toBeNull();
});

const refusal: FaultMessage = { code: "config-invalid", message: 'prompt "own-1": too long', where: "own-1" };

test("refused settings leave run and settings as they are, are not kept, and can be corrected", async () => {
  const faults: { createRun?: FaultMessage } = {};
  const { app, state, storage, worker } = open({ faults, stepMs: 5 });
  await app.actions.boot();
  await app.actions.train();
  await eventually(() => {
    expect(state().run.step).toBeGreaterThan(1);
  });
  const { settings, spec, prompts } = state();
  faults.createRun = refusal;
  const wanted = { ...settings, seeds: [5] };
  const own = yourOwnPrompts.trainPrompts.slice(0, 4);
  await app.actions.applySettings({ settings: wanted, prompts: own, engine: "auto" });
  expect(state()).toMatchObject({ fault: refusal, run: { phase: "running" }, settings, spec, prompts });
  expect(state().refused).toEqual({ settings: wanted, prompts: own });
  expect(storage.getItem(`rubric-playground/v1/prompts/${customerReply.id}`)).toBeNull();
  await app.actions.pause();
  await eventually(() => {
    expect(state().run.phase).toBe("paused");
  });
  delete faults.createRun;
  await app.actions.applySettings({ settings: wanted, prompts: own, engine: "auto" });
  expect(state()).toMatchObject({ fault: null, refused: null, spec: { seed: 5 } });
  expect(storage.getItem(`rubric-playground/v1/prompts/${customerReply.id}`)).not.toBeNull();
  expect(worker.requests.at(-1)?.name).toBe("createRun");
});

test("a refused set-up or command leaves the page as the worker stands", async () => {
  const faults: Partial<Record<"createRun" | "pause" | "train", FaultMessage>> = { createRun: refusal };
  const { app, state } = open({ faults, stepMs: 5 });
  await app.actions.boot();
  expect(state()).toMatchObject({ fault: refusal, spec: null, run: { phase: "idle" } });
  delete faults.createRun;
  await app.actions.chooseSetUp("mild");
  const before = state();
  faults.createRun = refusal;
  await app.actions.chooseScenario(yourOwnPrompts.id);
  expect(state()).toMatchObject({
    scenarioId: customerReply.id,
    setUpId: "mild",
    rubric: before.rubric,
    run: { phase: "idle" },
  });
  faults.train = refusal;
  await app.actions.train();
  expect(state().run.phase).toBe("idle");
  delete faults.train;
  await app.actions.train();
  faults.pause = refusal;
  await app.actions.pause();
  expect(state().run.phase).toBe("running");
});

test("storage that is full does not stop an edit", async () => {
  const storage = {
    ...visitStorage(),
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  const { app, state, sent } = open({}, storage);
  await app.actions.boot();
  app.actions.setWeight("names-product", 7);
  expect(state().fault?.code).toBe("storage-failed");
  expect(sent("editRubric")).toHaveLength(1);
});

test("a model that does not load fails the run with its code, and trying again can mend it", async () => {
  const loadFault: FaultMessage = { code: "model-fetch-failed", message: "no network", where: "model" };
  const options: { loadFault?: FaultMessage } = { loadFault };
  const { app, state } = open(options);
  await app.actions.boot();
  expect(state()).toMatchObject({ model: null, fault: loadFault, run: { phase: "failed" }, spec: null });
  delete options.loadFault;
  await app.actions.chooseEngine("auto");
  expect(state()).toMatchObject({ fault: null, run: { phase: "idle" } });
});

test("another set-up brings its own rubric and noise and keeps the chosen arms", async () => {
  const { app, state } = open();
  await app.actions.boot();
  const settings = { ...state().settings, arms: [armOf("category-balanced", first)] };
  await app.actions.applySettings({ settings, prompts: null, engine: "auto" });
  await app.actions.chooseSetUp("mild");
  const mild = customerReply.setUps.find((setUp) => setUp.id === "mild");
  expect(state().spec).toMatchObject({ judgeNoise: 0, rubric: mild?.rubric });
  expect(state().spec?.arms.map((arm) => arm.id)).toEqual(["category-balanced"]);
  expect(state().focusArm).toBe("category-balanced");
});

test("a scenario takes its place with its run: till then the old numbers stand beside their own rubric", async () => {
  const { app, state } = open({ stepMs: 5 });
  await app.actions.boot();
  await app.actions.train();
  await eventually(() => {
    expect(app.buffer.steps("pow3r").length).toBeGreaterThan(2);
  });
  const phases: string[] = [];
  const stop = app.store.subscribe(({ opening, run, rubric, spec, latest }) => {
    if (opening === null) return;
    phases.push(run.phase);
    expect(opening.scenarioId).toBe(yourOwnPrompts.id);
    expect(rubric).toBe(first.rubric);
    expect(spec?.scenarioId).toBe(customerReply.id);
    expect(latest["pow3r"]).toBeDefined();
  });
  const chosen = app.actions.chooseScenario(yourOwnPrompts.id);
  await chosen;
  stop();
  expect(new Set(phases)).toEqual(new Set(["loading"]));
  expect(phases.length).toBeGreaterThan(1); // the old run's states came in between
  expect(state()).toMatchObject({
    opening: null,
    scenarioId: yourOwnPrompts.id,
    latest: {},
    run: { phase: "idle" },
  });
  expect(state().rubric).toEqual(yourOwnPrompts.setUps[0].rubric);
  expect(app.buffer.rows()).toHaveLength(0);
});

test("a saved run is offered and restored with its rows", async () => {
  const spec = buildSpec({
    scenario: customerReply,
    setUpId: first.id,
    settings: settingsOf(first),
    rubric: first.rubric,
    prompts: null,
  });
  const saved = {
    id: "r1",
    scenarioId: customerReply.id,
    savedAt: 0,
    step: 8,
    maxSteps: 60,
    sizeBytes: 1,
    checkpoints: [{ id: "8", step: 8, savedAt: 0, sizeBytes: 1 }],
    spec,
  };
  const { app, state } = open({ savedRuns: [saved] });
  await app.actions.boot();
  expect(state().savedRuns).toEqual([saved]);
  await app.actions.resumeSaved("r1");
  expect(state()).toMatchObject({ run: { phase: "paused", step: 8 }, savedRuns: [] });
  expect(app.buffer.steps("pow3r")).toHaveLength(8);
  expect(state().groups["pow3r"]?.[0]?.step).toBe(8);
});

test("earlier rollouts stay on show while training goes on", async () => {
  const { app, state } = open({ stepMs: 2 });
  await app.actions.boot();
  await app.actions.train();
  await eventually(() => {
    expect(state().run.step).toBeGreaterThan(5);
  });
  await app.actions.showRollouts(3);
  await eventually(() => {
    expect(state().run.step).toBeGreaterThan(12);
  });
  expect(state().groups["pow3r"]?.[0]?.step).toBe(3);
  await app.actions.showRollouts(null);
  expect(state().groups["pow3r"]?.[0]?.step).toBeGreaterThan(12);
});

test("own prompts are split so that no prompt is trained on and held out under one name", () => {
  const prompts = yourOwnPrompts.trainPrompts;
  const parts = {
    scenario: yourOwnPrompts,
    setUpId: "mild",
    settings: settingsOf(first),
    rubric: first.rubric,
  };
  const many = buildSpec({ ...parts, prompts });
  expect([many.trainPrompts.length, many.heldOutPrompts.length]).toEqual([6, 2]);
  const settings = { ...parts.settings, grpo: { ...parts.settings.grpo, prompts_per_step: 4 } };
  const few = buildSpec({ ...parts, settings, prompts: prompts.slice(0, 2) });
  expect(few.grpo.prompts_per_step).toBe(2);
  const ids = [...few.trainPrompts, ...few.heldOutPrompts].map((prompt) => prompt.id);
  expect(new Set(ids).size).toBe(4);
});
