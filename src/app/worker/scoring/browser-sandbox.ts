/** The sandbox in a browser: a worker of the training worker's own, started when a rubric first needs one. */
import { createSandbox, type OwnedSandbox } from "../../../training/sandbox/host.ts";
import type { FromSandbox } from "../../../training/sandbox/messages.ts";

export function createBrowserSandbox(): OwnedSandbox {
  return createSandbox({
    spawn: (heard, broke) => {
      const worker = new Worker(new URL("./sandbox-worker.ts", import.meta.url), { type: "module" });
      worker.onmessage = (event: MessageEvent<FromSandbox>) => {
        heard(event.data);
      };
      worker.onerror = (event) => {
        broke(event.message === "" ? "its code could not be loaded" : event.message);
      };
      return {
        post: (message) => {
          worker.postMessage(message);
        },
        end: () => {
          worker.terminate();
        },
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
