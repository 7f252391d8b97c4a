/** The sandbox's worker: its means are taken before it is closed (training/sandbox/lock-down.ts). */
import type { ToSandbox } from "../../../training/sandbox/messages.ts";
import { runSandboxThread } from "../../../training/sandbox/thread.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = scope.postMessage.bind(scope);
const afterwards = scope.setTimeout.bind(scope);
const listen = scope.addEventListener.bind(scope);

runSandboxThread(scope, {
  post: (message) => {
    post(message);
  },
  listen: (handle) => {
    listen("message", (event: MessageEvent<ToSandbox>) => {
      handle(event.data);
    });
  },
  afterwards: (callback) => {
    afterwards(callback, 0);
  },
});
