/**
 * Random weights at the true shapes of Qwen2.5-0.5B and Qwen3-0.6B on WebGPU, here a software adapter: loaded from a server that
 * answers like the hub, in 8 bits, the logits after a prompt and one decoding step of the whole model and one layer's gradient are
 * our WASM kernels'. Prints the memory that each process took for the GPU's part alone.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CheckPages, openCheckPages } from "../scripts/check-gpu/browser.ts";
import { serveModel } from "../scripts/hub/serve-model.ts";

const MOST_MS = 3_600_000;
/** Relative, of logits and gradients. */
const MOST_OFF = 1e-3;

let pages: CheckPages;
beforeAll(async () => {
  pages = await openCheckPages(true);
}, MOST_MS);
afterAll(() => pages.close());

test.each(["qwen2.5-0.5b", "qwen3-0.6b"])(
  "%s computes on WebGPU what it does on WASM",
  { timeout: MOST_MS },
  async (shape) => {
    const served = await serveModel(shape);
    if (typeof served === "string") throw new Error(served);
    const { check, close } = await pages.open();
    try {
      await check.openEngines({ id: served.id, endpoint: served.endpoint });
      const off = await check.compareStep(null);
      const { peakBytes } = await check.memory(null);
      const { webgpuTensorsLeft } = await check.closeEngines(null);
      const processes = await pages.processPeaks();
      const gigabytes = (bytes = NaN): string => `${(bytes / 1e9).toFixed(2)} GB`;
      process.stdout.write(
        `${shape}: ${JSON.stringify(off)}; GPU buffers ${gigabytes(peakBytes)}, ` +
          `GPU process ${gigabytes(processes?.gpuProcessBytes)}, page process with WASM ${gigabytes(processes?.pageBytes)} at most\n`,
      );
      expect(off.logits).toBeLessThan(MOST_OFF);
      expect(off.stepLogits).toBeLessThan(MOST_OFF);
      expect(off.layerGradient).toBeLessThan(MOST_OFF);
      expect(webgpuTensorsLeft).toBe(0);
    } finally {
      await close();
      await served.close();
    }
  },
);
