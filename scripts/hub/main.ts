/**
 * `npm run hub -- FOLDER`: serves models of this machine as the Hugging Face hub does, so that the page can load them by id.
 * FOLDER holds OWNER/NAME/ folders, or is the folder of one model, which is then local/NAME.
 */
import { resolve } from "node:path";
import { argv, exit } from "node:process";
import { parseArgs } from "node:util";
import type { Misbehave } from "./misbehaviour.ts";
import { readRepositories } from "./repository.ts";
import { startHub } from "./server.ts";

const USAGE = `npm run hub -- FOLDER [options]
  --port N        port of the hub (8765)
  --token TOKEN   puts every model behind a gate that this token opens
  --rate MB       megabytes a second of a download
  --cut MB        ends every connection of a download after so many megabytes`;

const { values, positionals } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: {
    port: { type: "string", default: "8765" },
    token: { type: "string" },
    rate: { type: "string" },
    cut: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
if (folder === undefined || values.help) {
  console.log(USAGE);
  exit(values.help ? 0 : 1);
}

const repositories = await readRepositories(resolve(folder));
if (repositories.length === 0) {
  console.error(
    `${folder} holds no model: a folder with config.json or a GGUF file, or OWNER/NAME/ folders of those.`,
  );
  exit(1);
}
const { token, rate, cut } = values;
const cutting: Misbehave = ({ server }) =>
  server === "cdn" && cut !== undefined ? { kind: "cut", afterBytes: Number(cut) * 1e6 } : null;
const hub = await startHub({
  repositories,
  port: Number(values.port),
  gates: new Map(token === undefined ? [] : repositories.map(({ id }) => [id, [token]])),
  bytesPerSecond: rate === undefined ? null : Number(rate) * 1e6,
  misbehave: cutting,
});
console.log(`Hub address: ${hub.url}`);
for (const { id, commit, files } of repositories) {
  const megabytes = [...files.values()].reduce((sum, file) => sum + file.sizeBytes, 0) / 1e6;
  console.log(`  ${id}  (commit ${commit.slice(0, 8)}, ${files.size} files, ${megabytes.toFixed(1)} MB)`);
}
console.log(
  "In the page: the model's chip, From a hub, the id; the hub's address is behind the line with huggingface.co.",
);
