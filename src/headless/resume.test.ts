import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const EXPERIMENT = {
  name: "killed",
  question: "Does it go on?",
  scenario: "customer-reply",
  setUp: "heavy",
  seeds: [1],
  arms: [
    { id: "pow3r", rule: "pow3r" },
    { id: "static", rule: "static-scalar" },
  ],
  baseline: "static",
  grpo: { max_steps: 8, num_generations: 2, max_completion_length: 8 },
  evaluateEvery: 2,
  evaluationSamples: 4,
  cells: [{ id: "quiet", judgeNoise: 0 }, { id: "loud" }],
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "killed-"));
  await writeFile(join(folder, "killed.json"), JSON.stringify(EXPERIMENT));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command; kills it without warning as soon as it says `killAt`. Answers what it said. */
function run(place: string, killAt: RegExp | null, options: readonly string[] = []): Promise<string> {
  const folders = [
    "--results",
    join(folder, place, "results"),
    "--checkpoints",
    join(folder, place, "checkpoints"),
  ];
  const args = [
    "--import",
    "tsx",
    "src/headless/main.ts",
    join(folder, "killed.json"),
    ...folders,
    ...options,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (text: Buffer) => {
      said += text.toString();
      if (killAt?.test(said) === true) child.kill("SIGKILL");
    });
    child.once("error", reject);
    child.once("close", () => {
      resolve(said);
    });
  });
}

const resultOf = (place: string, cell: string, file: string): Promise<string> =>
  readFile(join(folder, place, "results", "killed", cell, file), "utf8");

test("a killed experiment goes on from its checkpoint and ends with the table of one that two processes made", async () => {
  await run("killed", /loud, seed 1 step 6/);
  await expect(resultOf("killed", "loud", "summary.md")).rejects.toThrow("ENOENT");
  const said = await run("killed", null);
  expect(said).toContain("quiet, seed 1 was finished by an earlier call");
  expect(said).toContain("loud, seed 1 goes on at step 5");
  const shared = await run("whole", null, ["--processes", "2"]);
  expect(shared).toMatch(/results: .*killed\n$/);
  for (const cell of ["quiet", "loud"]) {
    for (const file of ["summary.md", "summary.json"]) {
      expect(await resultOf("killed", cell, file)).toBe(await resultOf("whole", cell, file));
    }
  }
  const rows = (await resultOf("killed", "loud", "seed-1.jsonl")).trim().split("\n");
  const of = (kind: string): object[] =>
    rows.map((row) => JSON.parse(row) as object).filter((row) => "kind" in row && row.kind === kind);
  expect(of("evaluation")).toHaveLength(2 * 5);
  expect(of("step")).toHaveLength(2 * 8);
  const step = of("step").at(-1) ?? {};
  for (const name of [
    "reward",
    "reward_std",
    "completions/mean_length",
    "grad_norm",
    "num_tokens",
    "step_time",
  ]) {
    expect(step).toHaveProperty([name], expect.any(Number)); // TRL's names
  }
}, 240_000);
