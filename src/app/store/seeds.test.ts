/** Several seeds and opened experiments, from the page's side of the worker's edge. */
import { beforeEach, expect, test, vi } from "vitest";
import { customerReply } from "../../domain/scenarios/customer-reply.ts";
import { yourOwnPrompts } from "../../domain/scenarios/your-own-prompts.ts";
import { FakeWorker } from "../../testing/fake-worker.ts";
import { createWorkerClient } from "../protocol/client.ts";
import { alphaArm, referenceArm } from "./app-state.ts";
import { createApp, type App } from "./app-store.ts";
import { armOf } from "./set-up.ts";
import { visitStorage } from "./visit-storage.ts";

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 });
const setUp = customerReply.setUps[0];

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

async function step(to: number): Promise<void> {
  await app.actions.step();
  await eventually(() => {
    expect(state().run).toMatchObject({ phase: "paused", step: to });
  });
}

test("another seed in focus brings its own table and answers, at once and with every step", async () => {
  const settings = { ...state().settings, seeds: [4, 9] };
  await app.actions.applySettings({ settings, prompts: null, engine: "auto" });
  expect(state()).toMatchObject({ seeds: [4, 9], focusSeed: 4, spec: { seed: 4 } });
  await step(1);
  expect(state().msPerAnswer).toBeGreaterThan(0);
  const before = { latest: state().latest["pow3r"], text: state().groups["pow3r"]?.[0]?.rollouts[0]?.text };
  await app.actions.focusSeed(9);
  expect(state().latest["pow3r"]).toMatchObject({ seed: 9, step: 1 });
  expect(state().groups["pow3r"]?.[0]?.rollouts[0]?.text).not.toBe(before.text);
  expect(app.buffer.steps("pow3r")).toEqual([state().latest["pow3r"]]);
  await step(2);
  expect(state().latest["pow3r"]).toMatchObject({ seed: 9, step: 2 });
  await app.actions.focusSeed(4);
  expect(app.buffer.steps("pow3r")).toHaveLength(2);
  expect(app.buffer.steps("pow3r")[0]).toEqual(before.latest);
});

test("an edit stands once on the charts, whatever the number of seeds", async () => {
  const settings = { ...state().settings, seeds: [1, 2, 3] };
  await app.actions.applySettings({ settings, prompts: null, engine: "auto" });
  app.actions.setWeight("names-product", 7);
  await eventually(() => {
    expect(app.buffer.edits()).toHaveLength(1);
  });
  expect(app.buffer.rows().map(({ seed }) => seed)).toEqual([1, 2, 3]);
});

test("seeds and arms stay in another set-up; constants that were its own become the new one's", async () => {
  const own = armOf("pow3r", setUp);
  const changed = { ...own, id: "flat", pow3r: { ...own.pow3r, lambda: 0.1 } };
  const settings = { ...state().settings, seeds: [1, 2], arms: [own, changed] };
  await app.actions.applySettings({ settings, prompts: null, engine: "auto" });
  await app.actions.chooseScenario(yourOwnPrompts.id);
  expect(state().seeds).toEqual([1, 2]);
  const other = armOf("pow3r", yourOwnPrompts.setUps[0]);
  expect(state().spec?.arms).toEqual([other, changed]);
  expect(alphaArm({ ...state(), focusArm: "flat" })?.id).toBe("flat");
  expect(alphaArm({ ...state(), focusArm: "nobody" })?.id).toBe("pow3r");
});

const experiment = {
  name: "small",
  question: "Does it open?",
  scenario: customerReply.id,
  setUp: setUp.id,
  seeds: [3, 5],
  arms: [
    { id: "static", rule: "static-scalar" },
    { id: "fast", rule: "pow3r", pow3r: { lambda: 0.9 } },
    { id: "slow", rule: "pow3r", pow3r: { lambda: 0.1 } },
  ],
  baseline: "slow",
  grpo: { max_steps: 7 },
};

test("an experiment of one cell opens as a run of its arms and seeds, compared with its baseline", async () => {
  expect(await app.actions.readExperiment(JSON.stringify(experiment), "small.json")).toBe(1);
  await app.actions.openCell(0);
  expect(state()).toMatchObject({ seeds: [3, 5], fault: null, askedCells: null, setUpId: setUp.id });
  expect(state().run.maxSteps).toBe(7);
  expect(state().spec?.arms.map(({ id, pow3r }) => [id, pow3r.lambda])).toEqual([
    ["static", armOf("pow3r", setUp).pow3r.lambda],
    ["fast", 0.9],
    ["slow", 0.1],
  ]);
  expect(referenceArm(state())).toBe("slow");
  app.actions.compareWith("fast");
  expect(referenceArm(state())).toBe("fast");
});

test("of several cells the chosen one opens", async () => {
  const cells = [
    { id: "plain", judgeNoise: 0 },
    { id: "noisy", judgeNoise: 0.08, seeds: [1], flatWeight: 10 },
  ];
  expect(await app.actions.readExperiment(JSON.stringify({ ...experiment, cells }), "e.json")).toBe(2);
  expect(state().askedCells?.cells.map(({ title }) => title)).toEqual(["plain", "noisy"]);
  expect(state().seeds).toEqual([1]);
  await app.actions.openCell(1);
  expect(state()).toMatchObject({ askedCells: null, seeds: [1], spec: { judgeNoise: 0.08 } });
});

test.each([
  ["is no JSON", "{", "e.json"],
  ["names an unknown field", JSON.stringify({ ...experiment, seedz: 1 }), "seedz"],
  ["wants another base", JSON.stringify({ ...experiment, base: "weak" }), 'e.json, base: expected "good"'],
])("an experiment that %s is told with its place and changes nothing", async (_, text, says) => {
  const before = state().spec;
  expect(await app.actions.readExperiment(text, "e.json")).toBe(0);
  expect(state()).toMatchObject({ askedCells: null, fault: { code: "config-invalid" } });
  expect(state().fault?.message).toContain(says);
  expect(state().spec).toBe(before);
});

test.each([
  [
    "more seeds than fit here",
    { seeds: Array.from({ length: 17 }, (_, i) => i) },
    "e.json, seeds: expected 16",
  ],
  ["settings that do not fit", { grpo: { max_steps: "many" } }, "e.json, grpo.max_steps"],
])("a cell of %s is told when it is opened", async (_, part, says) => {
  const before = state().spec;
  await app.actions.readExperiment(JSON.stringify({ ...experiment, ...part }), "e.json");
  await app.actions.openCell(0);
  expect(state().fault?.message).toContain(says);
  expect(state().spec).toBe(before);
});
