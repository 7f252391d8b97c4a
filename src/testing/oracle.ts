/**
 * Runs a Python script that knows the truth (PyTorch, transformers, PEFT, TRL) with JSON in and out. The interpreter is
 * $ORACLE_PYTHON, else .cache/python/bin/python of this repository. Where there is none, tests are skipped with a printed
 * reason, or fail when CI=true.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";

export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const SETUP =
  "set ORACLE_PYTHON to a Python 3.11 with torch 2.13, transformers 5.23, peft 0.21, trl 1.16 and safetensors";

/** The interpreter, or the reason why there is none. */
export function findOraclePython(): { readonly python: string } | { readonly reason: string } {
  const named = process.env["ORACLE_PYTHON"];
  const python = named ?? join(REPOSITORY, ".cache/python/bin/python");
  if (existsSync(python)) return { python };
  return { reason: `no Python oracle at ${python}: ${SETUP}` };
}

/** A `describe` that needs the oracle and, where given, something else that may not be there yet. */
export function describeWithOracle(name: string, body: () => void, missing: string | null = null): void {
  const found = findOraclePython();
  const reason = "reason" in found ? found.reason : missing;
  if (reason === null) {
    describe(name, body);
  } else if (process.env["CI"] === "true") {
    describe(name, () => {
      it("has what it needs", () => {
        throw new Error(reason);
      });
    });
  } else {
    process.stderr.write(`skipped: ${name}: ${reason}\n`);
    describe.skip(name, body);
  }
}

/**
 * Runs `script` (a path from the repository root) with `input` as JSON on its standard input and returns the JSON
 * that it prints. Its stderr is part of the error when it fails.
 */
export function askOracle(script: string, input: unknown): unknown {
  const found = findOraclePython();
  if ("reason" in found) throw new Error(found.reason);
  const output = execFileSync(found.python, [join(REPOSITORY, script)], {
    input: JSON.stringify(input),
    encoding: "utf8",
    stdio: "pipe",
    maxBuffer: 1 << 28,
    env: { ...process.env, HF_HUB_OFFLINE: "1", TOKENIZERS_PARALLELISM: "false" },
  });
  return JSON.parse(output);
}
