/** The sandbox's thread under Node: its means are taken before it is closed (training/sandbox/lock-down.ts). */
import { parentPort } from "node:worker_threads";
import { defined } from "../base/assert.ts";
import type { ToSandbox } from "../training/sandbox/messages.ts";
import { runSandboxThread } from "../training/sandbox/thread.ts";

const port = defined(parentPort ?? undefined, "the sandbox's port to its host");
const afterwards = setTimeout;

runSandboxThread(globalThis, {
  post: (message) => {
    port.postMessage(message);
  },
  listen: (handle) => {
    port.on("message", (message: ToSandbox) => {
      handle(message);
    });
  },
  afterwards: (callback) => {
    afterwards(callback, 0);
  },
});
