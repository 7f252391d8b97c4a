/**
 * `npm run mutation -- PATH`: mutants of a file or folder of domain or engine, held to the tests of its wing; ends with
 * the score by file. `npm run mutation -- gradients`: slips in the gradient rules, which no mutation of text finds.
 * Results are kept under .cache/mutation/, so that a second run tries only what changed.
 */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { argv, exit } from "node:process";
import { EQUIVALENT, gradientMutants, opsWithRules } from "../../src/testing/graph/gradient-mutants.ts";
import type { GradientMutant } from "../../src/testing/graph/gradient-mutants.ts";
import type { SlipKind } from "../../src/testing/graph/gradient-slips.ts";

/** Which tests hold what, the first match. */
const TESTS: readonly (readonly [path: string, tests: string])[] = [
  ["src/domain/", "src/domain/**/*.test.ts"],
  ["src/engine/graph/", "src/engine/graph/**/*.test.ts"],
  ["src/engine/nn/", "src/engine/nn/*.test.ts,src/training/model-policy/*.test.ts"],
  ["src/engine/weights/", "src/engine/weights/*.test.ts"],
  ["src/engine/kernels/", "src/engine/kernels/*.test.ts"],
];

function mutate(path: string): number {
  const folder = statSync(path).isDirectory();
  const files = folder ? `${path.replace(/\/$/, "")}/**/*.ts,!**/*.test.ts,!**/generated/**` : path;
  const tests = TESTS.find(([prefix]) => `${path}/`.startsWith(prefix))?.[1];
  if (tests === undefined) throw new Error(`${path}: name its tests in scripts/mutation/main.ts`);
  const kept = `.cache/mutation/${path.replace(/\W+/g, "-")}.json`;
  const args = ["stryker", "run", "--mutate", files, "--testFiles", tests, "--incrementalFile", kept];
  return spawnSync("npx", args, { stdio: "inherit" }).status ?? 1;
}

const KINDS: readonly SlipKind[] = ["sign", "missing", "axis", "factor", "exchange", "attribute"];

/** Noticed and tried, by kind; then by numbers and by shape checks. */
function line(name: string, mutants: readonly GradientMutant[]): string {
  const noticed = (some: readonly GradientMutant[]): string =>
    some.length === 0 ? "-" : `${some.filter(({ verdict }) => verdict !== "survived").length}/${some.length}`;
  const count = (verdict: GradientMutant["verdict"]): string =>
    `${mutants.filter((mutant) => mutant.verdict === verdict).length}`;
  const cells = KINDS.map((kind) => noticed(mutants.filter((mutant) => mutant.kind === kind)));
  return [name.padEnd(18), ...[...cells, count("differs"), count("refused")].map((x) => x.padStart(10))].join(
    "",
  );
}

function gradients(): number {
  const tried = opsWithRules().map((op) => [op, gradientMutants(op)] as const);
  const head = [...KINDS, "by number", "by shape"].map((kind) => kind.padStart(10)).join("");
  console.log(`${"rule of".padEnd(18)}${head}`);
  for (const [op, mutants] of tried) console.log(line(op, mutants));
  const all = tried.flatMap(([, mutants]) => mutants);
  console.log(line("all", all));
  const survivors = all.filter(({ verdict }) => verdict === "survived");
  for (const { title } of survivors)
    console.log(`survived ${title}\n  ${EQUIVALENT[title] ?? "NOT EXPLAINED"}`);
  return survivors.every(({ title }) => title in EQUIVALENT) ? 0 : 1;
}

const [target] = argv.slice(2);
if (target === undefined) throw new Error("npm run mutation -- PATH, or gradients");
exit(target === "gradients" ? gradients() : mutate(target));
