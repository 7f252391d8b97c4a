/** A Python script that is asked again and again: JSON lines in, JSON lines out, on a fixed number of threads. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findOraclePython, REPOSITORY } from "../src/testing/oracle.ts";

export interface PythonPeer {
  /** Sends one line and reads one. @throws Error with its stderr when it has ended. */
  ask(question: unknown): Promise<unknown>;
  close(): void;
}

/** @throws Error where there is no Python with the libraries. */
export function openPythonPeer(script: string, threads: number): PythonPeer {
  const found = findOraclePython();
  if ("reason" in found) throw new Error(found.reason);
  const child = spawn(found.python, [join(REPOSITORY, script)], {
    env: {
      ...process.env,
      HF_HUB_OFFLINE: "1",
      TOKENIZERS_PARALLELISM: "false",
      OMP_NUM_THREADS: String(threads),
      MKL_NUM_THREADS: String(threads),
    },
  });
  let stderr = "";
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error(`${script} ended:\n${stderr.slice(-4000)}`);
      return JSON.parse(line.value) as unknown;
    },
    close() {
      child.kill();
    },
  };
}
