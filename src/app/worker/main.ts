/**
 * The worker's entry: the only place that makes its long-lived objects (clock, storage, engine loader) and the only
 * one that touches `self`. Everything else takes them as arguments.
 */
import { describeMachine } from "../../engine/runtime/device.ts";
import { openKernelEngine } from "../../engine/kernels/kernels-browser.ts";
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { createUrlSource } from "../../engine/weights/url-source.ts";
import type { FromWorker, ToWorker, WorkerEvent } from "../protocol/messages.ts";
import { BUNDLED_MODEL, bundledFilesOf, modelUrl } from "./bundled-model.ts";
import { answer } from "./dispatch.ts";
import { createHandlers } from "./handlers.ts";
import { openModel } from "./loaded-model.ts";
import { createRunClaims } from "./run-claims.ts";
import { randomRunId } from "./run-id.ts";
import { createBrowserRunStore } from "./run-store.ts";
import { withTurns } from "./turns.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: FromWorker): void => {
  scope.postMessage(message);
};
const now = (): number => performance.now();

const handlers = createHandlers({
  store: createBrowserRunStore(),
  emit: (event: WorkerEvent) => {
    post({ kind: "event", event });
  },
  now,
  wallClock: () => Date.now(),
  schedule: (callback, delayMs) => {
    setTimeout(callback, delayMs);
  },
  newId: randomRunId,
  claimRun: createRunClaims(navigator.locks),
  openModel: async (choice, onProgress) =>
    openModel({
      source: bundledFilesOf(
        createUrlSource(BUNDLED_MODEL, modelUrl(scope.location.href, import.meta.env.DEV)),
      ),
      choice,
      machine: await describeMachine(),
      openEngine: async (kind) =>
        withTurns(await (kind === "kernels" ? openKernelEngine() : openBrowserEngine(kind)), now),
      now,
      onProgress,
    }),
});

scope.onmessage = (event: MessageEvent<ToWorker>) => {
  void answer(handlers, event.data).then(post);
};
