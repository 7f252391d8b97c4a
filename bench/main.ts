/** Runs the comparisons named on the command line, or all; each prints its figures and one ratio. */
import { argv, exit, stdout } from "node:process";
import { compareRuntimes } from "./wasm-against-cpu.ts";

const BENCHES: Readonly<Record<string, (print: (line: string) => void) => Promise<void>>> = {
  "wasm-against-cpu": compareRuntimes,
};

const asked = argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  stdout.write(`no bench ${unknown.join(", ")}; there are: ${Object.keys(BENCHES).join(", ")}\n`);
  exit(1);
}
for (const [name, run] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  stdout.write(`${name}\n`);
  await run((line) => stdout.write(`  ${line}\n`));
}
