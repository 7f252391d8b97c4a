/**
 * A larger model's part of the GPU check: loaded from a hub in 8 bits, trained for some steps with the memory that it takes, then
 * set beside our own WASM kernels and timed.
 */
import type { CheckPages } from "./browser.ts";
import { onPage, runOf } from "./bundled-part.ts";
import type { Amount } from "./engines-check.ts";
import { serveModel } from "../hub/serve-model.ts";
import { brief, say } from "./report.ts";
import type { ModelFindings } from "./verdict.ts";

export interface ModelCheck {
  readonly name: string;
  readonly software: boolean;
  readonly steps: number;
  /** Of a random model; undefined = all. */
  readonly layers: number | undefined;
}

interface Size {
  readonly run: Amount;
  /** Held-out answers an evaluation. */
  readonly samples: number;
  /** null = only a step is compared, and nothing is timed. */
  readonly compare: Amount | null;
  readonly speed: (Amount & { readonly tries: number }) | null;
}

const FULL: Size = {
  run: { group: 8, tokens: 48 },
  samples: 8,
  compare: { group: 2, tokens: 8 },
  speed: { group: 8, tokens: 48, tries: 3 },
};
/** A software adapter takes minutes for what a GPU does in seconds. */
const REDUCED: Size = { run: { group: 2, tokens: 4 }, samples: 1, compare: null, speed: null };

/** null, with the reason printed, where the model cannot be had. */
export async function checkModel(
  pages: CheckPages,
  { name, software, steps, layers }: ModelCheck,
): Promise<ModelFindings | null> {
  const served = await serveModel(name, { layers });
  if (typeof served === "string") {
    say(served);
    return null;
  }
  const size = software ? REDUCED : FULL;
  try {
    const which = { id: served.id, endpoint: served.endpoint };
    const title = layers === undefined ? name : `${name} with ${layers} layers`;
    say(`${title}: from a hub, in 8 bits`);
    const trained = await onPage(pages, async (check) => {
      const run = await runOf(check, { which, size: { ...size.run, steps, samples: size.samples } });
      const processes = await pages.processPeaks();
      await check.closeRun(null);
      return { ...run, processes };
    });
    say(memoryOf(trained));
    const compared = await onPage(pages, async (check) => {
      await check.openEngines(which);
      const step = await check.compareStep(null);
      const group = size.compare && (await check.compareGroup(size.compare));
      say(`WebGPU beside WASM, relative: ${brief({ ...step, ...group })}`);
      const speed = size.speed && (await check.speed(size.speed));
      if (speed !== null) say(`speed with ${brief(size.speed)}: ${brief(speed)}`);
      const { webgpuTensorsLeft } = await check.closeEngines(null);
      return { step, group, speed, tensorsLeft: webgpuTensorsLeft };
    });
    return { name: title, ...trained, ...compared };
  } finally {
    await served.close();
  }
}

/** What the run took, beside what the model itself does. */
function memoryOf({
  model,
  memory,
  processes,
}: Pick<ModelFindings, "model" | "memory" | "processes">): string {
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;
  const buffers = memory.late.peakBytes;
  const page =
    processes === null
      ? "the processes' memory is not told here"
      : `page process ${gigabytes(processes.pageBytes)} (${(processes.pageBytes / buffers).toFixed(2)} times the buffers), ` +
        `GPU process ${gigabytes(processes.gpuProcessBytes)} at most`;
  return (
    `memory: ${(model.parameters / 1e6).toFixed(0)} M parameters, ${gigabytes(model.heldBytes)} in blocks; ` +
    `GPU buffers ${gigabytes(buffers)} at most; ${page}`
  );
}
