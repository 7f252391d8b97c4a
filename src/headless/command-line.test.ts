import { expect, test } from "vitest";
import { readSettings } from "./command-line.ts";

const FILE = "experiments/pow3r-map.json";

test("takes the model that the file names as its base, and an option's over that", async () => {
  expect((await readSettings([FILE]))?.model).toBe("models/playground-qwen3-1m");
  expect((await readSettings([FILE, "--model", "elsewhere"]))?.model).toBe("elsewhere");
});

test("holds matrices as they come, or in the blocks that an option asks for", async () => {
  expect((await readSettings([FILE]))?.storage).toBe("f32");
  expect((await readSettings([FILE, "--storage", "q4"]))?.storage).toBe("q4");
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
