import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import { finishedSeeds, isFinished, readCheckpoint, runSeed, type SeedRun } from "./run-seed.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "seed-"));
});
afterEach(() => rm(folder, { recursive: true }));

function seedRun(name: string, override: Partial<SeedRun> = {}): SeedRun {
  const { signal } = new AbortController();
  return {
    spec: fakeSpec(),
    checkpoint: join(folder, `${name}.run`),
    signal,
    report: () => undefined,
    ...override,
  };
}

test("a stopped seed goes on from its checkpoint with the numbers of an uninterrupted one", async () => {
  const whole = await runSeed(fakeDeps(), seedRun("whole"));
  const controller = new AbortController();
  const stopped = seedRun("stopped", {
    signal: controller.signal,
    report: (record) => {
      if (record.step === 7) controller.abort();
    },
  });
  await expect(runSeed(fakeDeps(), stopped)).rejects.toMatchObject({ code: "aborted" });
  const saved = await readCheckpoint(stopped.checkpoint);
  expect(saved?.step).toBe(7);
  expect(saved !== null && isFinished(saved)).toBe(false);
  const record = await runSeed(fakeDeps(), seedRun("stopped"));
  expect(record).toEqual(whole);
  expect(isFinished(record)).toBe(true);
});

test("a finished seed is read, not trained again", async () => {
  const first = await runSeed(fakeDeps(), seedRun("done"));
  const gradients = { calls: 0 };
  const deps = fakeDeps({ distortGradient: (call, result) => ((gradients.calls = call), result) });
  expect(await runSeed(deps, seedRun("done"))).toEqual(first);
  expect(gradients.calls).toBe(0);
});

test("a checkpoint of other settings, or a broken one, is refused and left alone", async () => {
  const run = seedRun("other");
  await runSeed(fakeDeps(), run);
  const bytes = await readFile(run.checkpoint);
  const other = { ...run, spec: fakeSpec({}, { learning_rate: 0.2 }) };
  await expect(runSeed(fakeDeps(), other)).rejects.toMatchObject({ code: "record-invalid" });
  expect(await readFile(run.checkpoint)).toEqual(bytes);
  await writeFile(run.checkpoint, bytes.subarray(0, 50));
  await expect(runSeed(fakeDeps(), run)).rejects.toMatchObject({ code: "record-invalid" });
  expect(await readCheckpoint(join(folder, "none.run"))).toBeNull();
});

test("a summary takes finished seeds of its own settings, and names those of others", async () => {
  const spec = (seed: number, grpo: object = {}): ReturnType<typeof fakeSpec> =>
    fakeSpec({ seed }, { max_steps: 2, ...grpo });
  const checkpointOf = (seed: number): string => join(folder, `seed-${seed}.run`);
  const done = await runSeed(fakeDeps(), seedRun("seed-1", { spec: spec(1) }));
  await runSeed(fakeDeps(), seedRun("seed-2", { spec: spec(2, { learning_rate: 0.2 }) }));
  const controller = new AbortController();
  const stopped = seedRun("seed-3", {
    spec: spec(3),
    signal: controller.signal,
    report: () => {
      controller.abort();
    },
  });
  await expect(runSeed(fakeDeps(), stopped)).rejects.toMatchObject({ code: "aborted" });
  const specs = [1, 2, 3, 4].map((seed) => spec(seed));
  expect(await finishedSeeds(specs, checkpointOf)).toEqual({
    runs: [{ seed: 1, rows: done.rows }],
    others: [2],
  });
});
