import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cellsOf, parseExperiment } from "../domain/experiment/experiment-file.ts";
import { parseMapData } from "../domain/experiment/map-data.ts";
import { simulatorSettingsSchema } from "../domain/simulator/settings.ts";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import type { Plan, PlannedCell } from "./plan.ts";
import { runPlan, type PlanRun } from "./run-plan.ts";

const ARMS = [
  { id: "pow3r", rule: "pow3r" },
  { id: "static-scalar", rule: "static-scalar" },
];
const experiment = parseExperiment(
  JSON.stringify({
    name: "fake-map",
    question: "Does it make a map?",
    scenario: "customer-reply",
    setUp: "heavy",
    seeds: [1, 2],
    arms: ARMS,
    baseline: "static-scalar",
    evaluationSamples: 32,
    cells: [
      { id: "quiet", judgeNoise: 0, flatWeight: 1 },
      { id: "loud", judgeNoise: 0.1, flatWeight: 10, seeds: [1] },
    ],
  }),
  "fake.json",
);
const allCells = cellsOf(experiment).map((cell): PlannedCell => {
  const specOf = (seed: number): ReturnType<typeof fakeSpec> =>
    fakeSpec({ seed, arms: ARMS, judgeNoise: cell.judgeNoise }, { max_steps: 6 });
  return { cell, seeds: cell.seeds, specOf };
});

let folder: string;
let said: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plan-"));
  said = [];
});
afterEach(() => rm(folder, { recursive: true }));

function planRun(cells: Plan["cells"], override: Partial<PlanRun> = {}): PlanRun {
  return {
    plan: { experiment, cells, allCells, savedWith: null, identity: null },
    model: "fake",
    open: () => fakeDeps(),
    folders: { results: join(folder, "results"), checkpoints: join(folder, "checkpoints") },
    simulator: simulatorSettingsSchema.parse({ seeds: 1, steps: 10, goalStep: 10 }),
    signal: new AbortController().signal,
    say: (line) => said.push(line),
    ...override,
  };
}
const filesOf = async (...place: string[]): Promise<string[]> =>
  (await readdir(join(folder, "results", "fake-map", ...place))).toSorted();
const mapOf = async (): Promise<ReturnType<typeof parseMapData>> =>
  parseMapData(await readFile(join(folder, "results", "fake-map", "map.json"), "utf8"), "map.json");

test("writes every seed's rows, every cell's summary and numbers, and the map of both halves", async () => {
  await runPlan(planRun(allCells));
  const names = ["evaluations.csv", "seed-1.jsonl", "seed-2.jsonl", "summary.json", "summary.md"];
  expect(await filesOf("quiet")).toEqual(names);
  expect(await filesOf("loud")).toEqual(names.filter((name) => name !== "seed-2.jsonl"));
  const { baseline, cells } = await mapOf();
  expect(baseline).toBe("static-scalar");
  expect(cells.filter(({ source }) => source === "simulator")).toHaveLength(9);
  expect(cells.filter(({ source }) => source === "training")).toMatchObject([
    { judgeNoise: 0, flatWeight: 1, seeds: 2, samples: 32, steps: 6, goalStep: 6 },
    { judgeNoise: 0.1, flatWeight: 10, seeds: 1, samples: 32, steps: 6, goalStep: 6 },
  ]);
  const [head, first] = (
    await readFile(join(folder, "results/fake-map/quiet/evaluations.csv"), "utf8")
  ).split("\r\n");
  expect(head).toContain("seed,kind,arm,step,rubric_version,eval_samples,eval_score");
  expect(first).toContain("1,evaluation,pow3r,0,1,32,0.");
});

test("processes that share an experiment end with the map of all of it, whoever is last", async () => {
  await runPlan(planRun(allCells));
  const whole = await mapOf();
  await rm(folder, { recursive: true });
  await runPlan(
    planRun(allCells.map((each) => ({ ...each, seeds: each.seeds.filter((seed) => seed === 2) }))),
  );
  expect(await filesOf()).toEqual(["map.json", "quiet"]);
  const half = await mapOf();
  expect(half.cells.filter(({ source }) => source === "training")).toMatchObject([
    { judgeNoise: 0, seeds: 1 },
  ]);
  await runPlan(
    planRun(allCells.map((each) => ({ ...each, seeds: each.seeds.filter((seed) => seed === 1) }))),
  );
  expect(await mapOf()).toEqual(whole);
});

test("a map whose baseline is no arm of the simulator has the trained half alone", async () => {
  const run = planRun(allCells.slice(1));
  await runPlan({ ...run, plan: { ...run.plan, experiment: { ...experiment, baseline: "pow3r" } } });
  const { baseline, cells } = await mapOf();
  expect(baseline).toBe("pow3r");
  expect(cells).toMatchObject([{ source: "training", judgeNoise: 0.1 }]);
});

test("a seed of other settings is left out, and said", async () => {
  const [quiet] = allCells as [PlannedCell];
  const other = { ...quiet, seeds: [2], specOf: (seed: number) => fakeSpec({ seed }, { max_steps: 3 }) };
  await runPlan(planRun([other]));
  await runPlan(planRun([{ ...quiet, seeds: [1] }]));
  expect(said).toContain("not in the summary: seeds 2, whose checkpoints are of other settings");
});

test("gives each policy back, also where a seed stops half-way", async () => {
  let open = 0;
  const controller = new AbortController();
  const run = planRun(allCells, {
    signal: controller.signal,
    open: () => {
      open++;
      const deps = fakeDeps();
      const dispose = (): Promise<void> => {
        open--;
        return Promise.resolve();
      };
      return { ...deps, policy: { ...deps.policy, dispose } };
    },
    say: (line) => {
      if (line.includes("loud, seed 1 step 5")) controller.abort();
    },
  });
  await expect(runPlan(run)).rejects.toMatchObject({ code: "aborted" });
  expect(open).toBe(0);
  expect(await filesOf()).toEqual(["quiet"]);
});
