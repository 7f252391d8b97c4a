import { beforeEach, expect, test, vi } from "vitest";
import { importRubric } from "../../domain/rubric/formats/import-rubric.ts";
import { writeRubricFile } from "../../domain/rubric/rubric-file.ts";
import { endpointJudgeSchema } from "../../domain/run/judge-spec.ts";
import { writeSettingsFile } from "../../domain/run/settings-file.ts";
import { customerReply } from "../../domain/scenarios/customer-reply.ts";
import { yourOwnPrompts } from "../../domain/scenarios/your-own-prompts.ts";
import { FakeWorker } from "../../testing/fake-worker.ts";
import { healthBenchRow } from "../../testing/rubric-files.ts";
import { createWorkerClient } from "../protocol/client.ts";
import { createApp, type App } from "./app-store.ts";
import { visitStorage } from "./visit-storage.ts";
import { buildSpec, settingsOf } from "./set-up.ts";

const mild = customerReply.setUps[1] ?? customerReply.setUps[0];
const later = { ...mild.rubric, title: "Later" };
const spec = {
  ...buildSpec({
    scenario: customerReply,
    setUpId: mild.id,
    settings: { ...settingsOf(mild), seeds: [9] },
    rubric: mild.rubric,
    prompts: null,
  }),
  rubricEdits: [{ fromStep: 3, rubric: later }],
};
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 });

let app: App;
let worker: FakeWorker;
beforeEach(async () => {
  worker = new FakeWorker();
  app = createApp({
    client: createWorkerClient(() => worker, "fake-worker"),
    openStorage: () => visitStorage(),
    scenarios: [customerReply, yourOwnPrompts],
  });
  await app.actions.boot();
});
const state = () => app.store.getState();

async function steps(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const before = state().run.step;
    await app.actions.step();
    await eventually(() => {
      expect(state().run).toMatchObject({ phase: "paused", step: before + 1 });
    });
  }
}

test("a settings file opens as a fresh run of its own, whose rubric turns at its step", async () => {
  await app.actions.openSettingsFile(writeSettingsFile({ model: "m", spec, seeds: [9] }), "run.json");
  expect(state()).toMatchObject({
    setUpId: mild.id,
    run: { phase: "idle", step: 0 },
    rubric: { title: mild.rubric.title },
  });
  expect(state().settings.seeds).toEqual([9]);
  expect(worker.requests.findLast((request) => request.name === "createRun")?.params).toEqual({
    spec,
    seeds: [9],
  });
  expect(app.buffer.edits().map((edit) => edit.step)).toEqual([3]);
  await steps(1);
  expect(state().rubric.title).toBe(mild.rubric.title);
  await steps(1);
  expect(state().rubric.title).toBe("Later");
});

test("edits kept for the set-up of an opened file are an undo away", async () => {
  await app.actions.chooseSetUp(mild.id);
  app.actions.setWeight("names-product", 7);
  const edited = state().rubric;
  await app.actions.chooseSetUp(customerReply.setUps[0].id);
  expect(state().undo).toEqual([]);
  await app.actions.openSettingsFile(writeSettingsFile({ model: "m", spec, seeds: [9] }), "run.json");
  app.actions.undoEdit();
  expect(state().rubric).toEqual(edited);
  await app.actions.chooseSetUp(customerReply.setUps[0].id);
  await app.actions.chooseSetUp(mild.id);
  expect(state().rubric).toEqual(edited);
  app.actions.undoEdit();
  expect(state().rubric).toEqual(mild.rubric);
});

test("an edit of one's own is not replaced by a planned one", async () => {
  await app.actions.openSettingsFile(writeSettingsFile({ model: "m", spec, seeds: [9] }), "run.json");
  await steps(1);
  app.actions.setWeight("names-product", 7);
  await steps(2);
  expect(state().rubric.criteria.find(({ id }) => id === "names-product")?.weight).toBe(7);
});

test("a broken file is told by its name and changes nothing", async () => {
  const before = { ...state() };
  await app.actions.openSettingsFile("{", "run.json");
  expect(state()).toEqual({ ...before, fault: state().fault });
  expect(state().fault).toMatchObject({ code: "config-invalid", where: "run.json" });
  expect(state().rubric).toBe(before.rubric);
});

test("a rubric alone is an edit that can be undone, and clears an earlier fault", async () => {
  await app.actions.openSettingsFile("{", "run.json");
  await app.actions.takeRubric({ ...later, prompts: [] });
  expect(state()).toMatchObject({ rubric: { title: "Later" }, fault: null, scenarioId: customerReply.id });
  expect(app.actions.exportRubric()).toBe(writeRubricFile(later));
  app.actions.undoEdit();
  expect(state().rubric).toEqual(customerReply.setUps[0].rubric);
});

test("a rubric with prompts is a fresh run on them, every fourth held out, and both are kept", async () => {
  const { set } = importRubric(
    Array.from({ length: 9 }, (_, n) => JSON.stringify(healthBenchRow(n))).join("\n"),
    { name: "hb.jsonl" },
  );
  await app.actions.takeRubric(set);
  expect(state()).toMatchObject({
    scenarioId: yourOwnPrompts.id,
    fault: null,
    run: { phase: "idle", step: 0 },
  });
  expect(state().rubric.criteria).toEqual(set.criteria);
  expect(state().spec?.trainPrompts.map(({ id }) => id)).toEqual([
    "hb-0",
    "hb-1",
    "hb-2",
    "hb-4",
    "hb-5",
    "hb-6",
    "hb-8",
  ]);
  expect(state().spec?.heldOutPrompts.map(({ id }) => id)).toEqual(["hb-3", "hb-7"]);
  await app.actions.chooseScenario(customerReply.id);
  await app.actions.chooseScenario(yourOwnPrompts.id);
  expect(state().rubric.criteria).toEqual(set.criteria);
  expect(state().prompts?.map(({ id }) => id)).toEqual(set.prompts.map(({ id }) => id));
});

test("a rubric with prompts keeps the model that was loaded, and the judges", async () => {
  const place = {
    kind: "hub",
    endpoint: "http://mirror.test",
    repo: "someone/small",
    revision: "main",
    file: null,
  } as const;
  await app.actions.useModel({ ...place, token: null, storage: "q8", thinking: false }, null);
  const judge = endpointJudgeSchema.parse({ kind: "endpoint", url: "http://judge.test/v1", model: "m" });
  await app.actions.applyJudges({ judge });
  const loads = () => worker.requests.filter(({ name }) => name === "loadModel").length;
  const before = loads();
  const { set } = importRubric(JSON.stringify(healthBenchRow(1)), { name: "hb.jsonl" });
  await app.actions.takeRubric(set);
  expect(state()).toMatchObject({
    scenarioId: yourOwnPrompts.id,
    fault: null,
    model: { identity: { id: "someone/small" } },
  });
  expect(state().spec).toMatchObject({ model: { id: "someone/small" }, judge });
  expect(loads()).toBe(before);
});

test("the run's settings and adapters are the worker's", async () => {
  expect(await app.actions.exportSettings()).toContain('"rubric-playground-settings"');
  expect(await app.actions.exportAdapters()).toBeInstanceOf(Uint8Array);
});
