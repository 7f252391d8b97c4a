/**
 * `npm run bench -- NAME ... [--pairs N] [--steps N]`: measures and prints one JSON line a figure (see figure.ts), the named
 * one last. Without a name all run.
 */
import { argv, exit, stdout } from "node:process";
import { parseArgs } from "node:util";
import { feel } from "./feel.ts";
import { type Bench, figureLine } from "./figure.ts";
import { firstStep } from "./first-step.ts";
import { growth } from "./growth.ts";
import { memory } from "./memory.ts";
import { pageWeight } from "./page-weight.ts";
import { realLoad } from "./real-load.ts";
import { realRollouts, realRolloutsTwoThreads } from "./real-rollouts.ts";
import { rollouts } from "./rollouts.ts";
import { importBench, scoreBench } from "./rubrics.ts";
import { simulator } from "./simulator.ts";
import { step } from "./step.ts";
import { train, trainRows } from "./train.ts";
import { wasmAgainstCpu } from "./wasm-against-cpu.ts";

const BENCHES: Readonly<Record<string, Bench>> = {
  rollouts,
  train,
  "train-rows": trainRows,
  step,
  "first-step": firstStep,
  "page-weight": pageWeight,
  memory,
  growth,
  feel,
  simulator,
  "import-rubric": importBench,
  "score-rubric": scoreBench,
  "wasm-against-cpu": wasmAgainstCpu,
  "real-load": realLoad,
  "real-rollouts": realRollouts,
  "real-rollouts-2-threads": realRolloutsTwoThreads,
};

const { positionals, values } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: { pairs: { type: "string" }, steps: { type: "string" } },
});
const unknown = positionals.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  stdout.write(`no bench ${unknown.join(", ")}; there are: ${Object.keys(BENCHES).join(", ")}\n`);
  exit(1);
}
const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
for (const name of positionals.length > 0 ? positionals : Object.keys(BENCHES)) {
  stdout.write(`${name}\n`);
  const figures = await BENCHES[name]?.({
    pairs: number(values.pairs),
    steps: number(values.steps),
    print: (line) => stdout.write(`  ${line}\n`),
  });
  for (const figure of figures ?? []) stdout.write(`${figureLine(figure)}\n`);
}
