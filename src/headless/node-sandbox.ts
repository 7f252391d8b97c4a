/** The sandbox under Node: a thread with little memory and no environment, started when a rubric first needs one. */
import { Worker } from "node:worker_threads";
import { createSandbox, type OwnedSandbox } from "../training/sandbox/host.ts";

export function createNodeSandbox(): OwnedSandbox {
  return createSandbox({
    spawn: (heard, broke) => {
      const worker = new Worker(new URL("./sandbox-entry.mjs", import.meta.url), {
        env: {},
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
      });
      worker.unref(); // a run that is over does not wait for it
      worker.on("message", heard);
      worker.on("error", (error) => {
        broke(error instanceof Error ? error.message : String(error));
      });
      return {
        post: (message) => {
          worker.postMessage(message);
        },
        end: () => void worker.terminate(),
      };
    },
    schedule: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => {
        clearTimeout(timer);
      };
    },
  });
}
