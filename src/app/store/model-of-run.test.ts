import { expect, test } from "vitest";
import type { ModelIdentity } from "../../domain/run/spec.ts";
import { writeSettingsFile } from "../../domain/run/settings-file.ts";
import { customerReply } from "../../domain/scenarios/customer-reply.ts";
import { FakeWorker, type FakeWorkerOptions } from "../../testing/fake-worker.ts";
import { createWorkerClient } from "../protocol/client.ts";
import type { KeptModelInfo } from "../protocol/model-messages.ts";
import { createApp } from "./app-store.ts";
import { buildSpec, settingsOf } from "./set-up.ts";
import { visitStorage } from "./visit-storage.ts";

const [setUp] = customerReply.setUps;
const hub = { endpoint: "http://mirror.test", repo: "someone/small", revision: "main", file: null };
const TINY: ModelIdentity = { id: hub.repo, revision: "c0ffee", storage: "q8", thinking: true };
const KEPT = {
  id: "1",
  name: hub.repo,
  place: { kind: "hub", ...hub },
  storage: "q8",
  commit: "c0ffee",
  complete: true,
  sizeBytes: 1,
  savedAt: 0,
} as KeptModelInfo;

function specOn(model: ModelIdentity | null) {
  const settings = settingsOf(setUp);
  const spec = buildSpec({
    scenario: customerReply,
    setUpId: setUp.id,
    settings,
    rubric: setUp.rubric,
    prompts: null,
  });
  return model === null ? spec : { ...spec, model };
}

function savedOn(model: ModelIdentity | null) {
  return {
    id: "r1",
    scenarioId: customerReply.id,
    savedAt: 0,
    step: 3,
    maxSteps: 60,
    sizeBytes: 1,
    checkpoints: [{ id: "3", step: 3, savedAt: 0, sizeBytes: 1 }],
    spec: specOn(model),
  };
}

async function open(options: FakeWorkerOptions) {
  const worker = new FakeWorker(options);
  const app = createApp({
    client: createWorkerClient(() => worker, "fake-worker"),
    openStorage: () => visitStorage(),
    scenarios: [customerReply],
  });
  await app.actions.boot();
  const loads = () => worker.requests.flatMap(({ name, params }) => (name === "loadModel" ? [params] : []));
  return { app, loads, state: () => app.store.getState() };
}

test("a saved run loads its own model where this browser keeps it, and goes on", async () => {
  const { app, loads, state } = await open({ savedRuns: [savedOn(TINY)], keptModels: [KEPT] });
  await app.actions.resumeSaved("r1");
  const model = { kind: "hub", ...hub, storage: "q8", thinking: true, token: null };
  expect(loads().at(-1)).toMatchObject({ model });
  expect(state()).toMatchObject({ run: { phase: "paused", step: 3 }, modelChoice: model });
});

test("a run of the bundled model loads that one again, and one of the model at hand loads nothing", async () => {
  const { app, loads, state } = await open({ savedRuns: [savedOn(null)] });
  await app.actions.resumeSaved("r1");
  expect(loads()).toHaveLength(1);
  const choice = { kind: "hub", ...hub, token: null, storage: "q8", thinking: false } as const;
  await app.actions.useModel(choice, null);
  await app.actions.resumeSaved("r1");
  expect(loads().at(-1)).toMatchObject({ model: { kind: "bundled" } });
  expect(state()).toMatchObject({ run: { phase: "paused", step: 3 }, model: { identity: null } });
});

test.each([
  ["commit", { ...KEPT, commit: "0ther" }],
  ["storage", { ...KEPT, storage: "q4" as const }],
  ["state, half loaded", { ...KEPT, complete: false }],
  ["file", { ...KEPT, place: { ...KEPT.place, file: "a.gguf" } as KeptModelInfo["place"] }],
])(
  "a kept model of another %s is not the run's: none is loaded, the worker is left to say so",
  async (_, kept) => {
    const { app, loads, state } = await open({ savedRuns: [savedOn(TINY)], keptModels: [kept] });
    await app.actions.resumeSaved("r1");
    expect(loads()).toHaveLength(1);
    // for the sheet, until a model was chosen in it
    expect(state().wantedModel).toEqual(TINY);
    await app.actions.useModel({ kind: "hub", ...hub, token: null, storage: "q8", thinking: false }, null);
    expect(state().wantedModel).toBeNull();
  },
);

test("a run stays where it was when its model cannot be loaded", async () => {
  const options: { -readonly [Key in keyof FakeWorkerOptions]: FakeWorkerOptions[Key] } = {
    savedRuns: [savedOn(TINY)],
    keptModels: [KEPT],
  };
  const { app, state } = await open(options);
  const { runId } = state();
  options.loadFault = { code: "model-broken", message: "cut", where: "kept.safetensors" };
  await app.actions.resumeSaved("r1");
  expect(state()).toMatchObject({ runId, run: { step: 0 }, fault: { code: "model-broken" } });
  expect(state().model?.identity).toBeNull();
});

test("settings of a run on a kept model load that model", async () => {
  const { app, loads, state } = await open({ keptModels: [KEPT] });
  const text = writeSettingsFile({ model: "m", spec: specOn(TINY), seeds: [1] });
  await app.actions.openSettingsFile(text, "run.json");
  expect(loads()).toHaveLength(2);
  expect(state().spec?.model).toEqual(TINY);
});
