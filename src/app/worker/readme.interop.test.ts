/** The README's script on the zip that the page saves: PEFT prints the text that the page's chat shows. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { createRng } from "../../base/rng.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { bundledModelFolders, bundledModelMissing } from "../../testing/bundled-model.ts";
import { fakeSpec } from "../../testing/fake-run.ts";
import { describeWithOracle, findOraclePython, REPOSITORY } from "../../testing/oracle.ts";
import { createRunRecord } from "../../training/run-record.ts";
import { chatHandlers } from "./chat-handlers.ts";
import { exportHandlers } from "./export-handlers.ts";
import { openModel } from "./loaded-model.ts";
import { createLock } from "./lock.ts";

const FILES = ["config.json", "model.safetensors", "tokenizer.json"];
const MAX_TOKENS = 72;

describeWithOracle(
  "the README's script",
  () => {
    it("prints the page's greedy answer of a trained arm", async () => {
      const script = defined(
        /```python\n([\s\S]*?)```/.exec(readFileSync(join(REPOSITORY, "README.md"), "utf8"))?.[1],
        "a script in the README",
      );
      const message = defined(/"content": "(.*?)"/.exec(script)?.[1], "its message");
      const host = await openModel({
        source: createFolderSource(defined(bundledModelFolders(...FILES)[0], "the bundled model")),
        choice: "wasm",
        machine: { cores: 2, crossOriginIsolated: false, threads: 1, gpu: null },
        openEngine: () => Promise.resolve(openNodeEngine(1)),
        now: () => 0,
        onProgress: () => undefined,
      });
      const spec = fakeSpec();
      const fresh = createRunRecord("r", spec, await host.policyFor(spec.grpo.lora));
      const rng = createRng(4, "readme");
      // numbers large enough that the answer is another one than the base's
      const arms = fresh.arms.map((arm) => ({ ...arm, adapter: arm.adapter.map(() => 0.2 * rng.normal()) }));
      const record = { ...fresh, arms, step: 1 };
      const { zip } = await exportHandlers({ records: [record], rows: [] }, () => host).exportAdapters({});
      const chats = [null, "pow3r"].map((arm) => ({
        arm,
        messages: [{ role: "user" as const, content: message }],
      }));
      const { answers } = await chatHandlers({
        model: () => host,
        session: { record },
        lock: createLock(),
        emit: () => undefined,
      }).chat({ id: 1, chats, temperature: 0, seed: 1, maxTokens: MAX_TOKENS });
      await host.dispose();
      const [base, trained] = answers.map(({ text }) => text.trim());
      expect(trained).not.toBe(base);
      expect(printed(script, zip)).toBe(trained);
    });
  },
  bundledModelMissing(...FILES),
);

/** What the script prints beside the repository's models and the unzipped adapters. */
function printed(script: string, zip: Uint8Array): string {
  const found = findOraclePython();
  if (!("python" in found)) throw new Error(found.reason);
  const folder = mkdtempSync(join(tmpdir(), "readme-"));
  try {
    symlinkSync(join(REPOSITORY, "models"), join(folder, "models"));
    for (const [path, bytes] of Object.entries(unzipSync(zip))) {
      const file = join(folder, "adapters", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
    const env = { ...process.env, HF_HUB_OFFLINE: "1", TOKENIZERS_PARALLELISM: "false" };
    return execFileSync(found.python, ["-c", script], { cwd: folder, encoding: "utf8", env }).trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
