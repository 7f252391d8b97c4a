import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings } from "./command-line.ts";

const FILE = "experiments/pow3r-map.json";

test("takes the model that the file names as its base, and an option's over that", async () => {
  expect((await readSettings([FILE]))?.model).toBe("models/playground-qwen3-1m");
  expect((await readSettings([FILE, "--model", "elsewhere"]))?.model).toBe("elsewhere");
});

test("holds the bundled model's matrices as they come, others in 8 bits as the page does, or as an option asks", async () => {
  expect((await readSettings([FILE]))?.storage).toBe("f32");
  expect((await readSettings([FILE, "--model", "elsewhere"]))?.storage).toBe("q8");
  expect((await readSettings([FILE, "--model", "elsewhere", "--storage", "f32"]))?.storage).toBe("f32");
  expect((await readSettings([FILE, "--storage", "q4"]))?.storage).toBe("q4");
});

test("a run's settings for another model are not run on the bundled one, and say how it is held", async () => {
  const saved = JSON.parse(await readFile("experiments/smollm2-ifeval.json", "utf8")) as { spec: object };
  const model = { id: "a/b", revision: "c0ffee", storage: "q4", thinking: true };
  const folder = await mkdtemp(join(tmpdir(), "settings-"));
  const file = join(folder, "own.json");
  try {
    await writeFile(file, JSON.stringify({ ...saved, spec: { ...saved.spec, model } }));
    await expect(readSettings([file])).rejects.toThrow("the model of these settings, a/b, on this machine");
    const settings = await readSettings([file, "--model", "elsewhere"]);
    expect(settings).toMatchObject({ model: "elsewhere", storage: "q4", plan: { identity: model } });
    expect((await readSettings([file, "--model", "elsewhere", "--storage", "q8"]))?.storage).toBe("q8");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("one of several processes runs its own share and starts no others", async () => {
  const share = await readSettings([FILE, "--processes", "2", "--share", "1/2"]);
  expect(share).toMatchObject({ processes: 1, isShare: true });
  expect(share?.plan.cells.flatMap(({ seeds }) => seeds)).toHaveLength(24);
  expect(await readSettings([FILE, "--processes", "2"])).toMatchObject({ processes: 2, isShare: false });
});

test.each([
  [["--processes", "0"], "--processes: expected a whole number from 1 on, got 0"],
  [["--threads", "two"], "--threads: expected a whole number from 1 on, got two"],
  [["--storage", "q5"], "--storage: expected f32, q8, q4, got q5"],
  [["--cells", "nowhere"], "--cells: expected some of noise-0-weight-1"],
])("answers %j with place and expectation", async (options, says) => {
  await expect(readSettings([FILE, ...options])).rejects.toThrow(says);
});
