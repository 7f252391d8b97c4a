/** Opens an engine on the kernels in a page or worker, from our own origin. */
import { PlaygroundError } from "../../base/errors.ts";
import { canShareMemory, defaultThreads } from "../runtime/device.ts";
import type { Engine } from "../runtime/engine.ts";
import {
  createKernelEngine,
  createThreadedKernelEngine,
  type Helper,
  type HelperSetup,
} from "./kernel-engine.ts";
import threadsUrl from "./kernels-threads.wasm?url";
import plainUrl from "./kernels.wasm?url";
import relaxedThreadsUrl from "./kernels-relaxed-threads.wasm?url";
import relaxedUrl from "./kernels-relaxed.wasm?url";
import { hasRelaxedSimd, MOST_THREADS } from "./module.ts";

export interface KernelEngineOptions {
  /** Unless given, half the cores; 1 where memory cannot be shared, whatever is asked. */
  readonly threads?: number;
}

/** @throws PlaygroundError `worker-failed` naming the file when it cannot be fetched */
export async function openKernelEngine({ threads }: KernelEngineOptions = {}): Promise<Engine> {
  const wanted = canShareMemory() ? Math.min(MOST_THREADS, threads ?? defaultThreads()) : 1;
  if (wanted > 1) {
    const bytes = await fetched(hasRelaxedSimd() ? relaxedThreadsUrl : threadsUrl);
    const mayWait = !("document" in globalThis);
    const engine = await createThreadedKernelEngine(bytes, { threads: wanted, startHelper, mayWait }).catch(
      () => null, // no address space or no worker: one thread, and the engine says so
    );
    if (engine !== null) return engine;
  }
  return createKernelEngine(await fetched(hasRelaxedSimd() ? relaxedUrl : plainUrl));
}

function startHelper(setup: HelperSetup): Promise<Helper> {
  const worker = new Worker(new URL("./kernel-thread.ts", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = () => {
      resolve({
        end: () => {
          worker.terminate();
        },
      });
    };
    worker.onerror = reject;
    worker.postMessage(setup);
  });
}

async function fetched(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url).catch((cause: unknown) => cause);
  if (response instanceof Response && response.ok) return response.arrayBuffer();
  throw new PlaygroundError({
    code: "worker-failed",
    where: url,
    expected: "the module of the WASM kernels",
    got: response instanceof Response ? `HTTP ${response.status}` : String(response),
    next: "Look at the connection and at what stands on the server, then try again.",
  });
}
