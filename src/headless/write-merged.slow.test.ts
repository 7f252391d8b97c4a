/** SmolLM2-135M-Instruct with an adapter merged in, as the command line writes it: time, memory, and its logits in transformers. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createRng } from "../base/rng.ts";
import { grpoConfigSchema } from "../domain/grpo/config.ts";
import { dequantizeBlocks, isBlockTensor, type WeightTensor } from "../engine/graph/block-tensor.ts";
import { float32 } from "../engine/graph/tensor.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import { openNodeEngine } from "../engine/runtime/ort-node.ts";
import { loadModel } from "../engine/weights/load-model.ts";
import { largestDifference } from "../testing/model-logits.ts";
import { askOracle, describeWithOracle } from "../testing/oracle.ts";
import { prefillLogits } from "../testing/prefill-logits.ts";
import { SMOLLM2, smollm2Missing } from "../testing/smollm2.ts";
import type { RunRecord } from "../training/run-record.ts";
import { createFolderSource } from "./folder-source.ts";
import { writeMerged } from "./write-merged.ts";

const IDS = [1, 9690, 198, 2683, 359, 253];
/** A quarter of a gigabyte beside what was there: one tensor as floats, and what is being written. */
const MOST_MORE_BYTES = 256e6;

/** The numbers that it was trained with. */
function asFloats([name, weight]: readonly [string, WeightTensor]) {
  const { dims } = weight;
  return [name, isBlockTensor(weight) ? float32([...dims], dequantizeBlocks(weight)) : weight] as const;
}

const folder = mkdtempSync(join(tmpdir(), "merged-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describeWithOracle(
  "SmolLM2 with an adapter merged in",
  () => {
    it("is written tensor by tensor, and gives in transformers the logits of base and adapter", async () => {
      const model = await loadModel(createFolderSource(SMOLLM2.folder), undefined, undefined, "q8");
      const { lora } = grpoConfigSchema.parse({ lora: { r: 8, lora_alpha: 16 } });
      const layout = loraLayout(model.config, lora);
      const rng = createRng(5, "merged adapter");
      const adapter = Float32Array.from({ length: layout.size }, () => 0.04 * (rng.next() - 0.5));
      const engine = openNodeEngine(2);
      const floats = { config: model.config, weights: new Map([...model.weights].map(asFloats)) };
      const ask = { adapter, inputIds: [Int32Array.from(IDS)] };
      const [logits, base] = [
        await prefillLogits(engine, floats, layout, ask),
        await prefillLogits(engine, floats, layout, { ...ask, adapter: new Float32Array(layout.size) }),
      ];
      await engine.dispose();

      const before = process.memoryUsage.rss();
      let most = before;
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
      const start = performance.now();
      await writeMerged(
        folder,
        { arms: [{ id: "a", adapter }], spec: { seed: 1, grpo: { lora } } } as unknown as RunRecord,
        model,
      );
      const seconds = (performance.now() - start) / 1000;
      clearInterval(watch);
      const place = join(folder, "seed-1", "a");
      const { size } = statSync(join(place, "model.safetensors"));

      const asked = [{ model: place, adapter: null, inputIds: [IDS] }];
      const [answer] = askOracle("scripts/oracles/peft_logits.py", asked) as number[][];
      const worst = largestDifference([logits], Float32Array.from(answer ?? []));
      process.stdout.write(
        `merged: ${(size / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s, ${((most - before) / 1e6).toFixed(0)} MB more in memory; ` +
          `logits differ from transformers' by at most ${worst.toExponential(1)}\n`,
      );
      expect(worst).toBeLessThan(1e-3);
      expect(largestDifference([logits], base)).toBeGreaterThan(0.1); // the control: the adapter does something
      expect(size).toBeGreaterThan(538e6); // F32
      expect(most - before).toBeLessThan(MOST_MORE_BYTES);
    });
  },
  smollm2Missing(),
);
