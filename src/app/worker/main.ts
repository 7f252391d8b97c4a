/**
 * The worker's entry: the only place that makes its long-lived objects (clock, storage, engine loader) and the only
 * one that touches `self`. Everything else takes them as arguments.
 */
import { describeMachine } from "../../engine/runtime/device.ts";
import { openKernelEngine } from "../../engine/kernels/kernels-browser.ts";
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { createUrlSource } from "../../engine/weights/url-source.ts";
import type { FromWorker, Progress, ToWorker, WorkerEvent } from "../protocol/messages.ts";
import { BUNDLED_MODEL, bundledFilesOf, modelUrl } from "./bundled-model.ts";
import { answer } from "./dispatch.ts";
import { createHandlers } from "./handlers.ts";
import { openModel } from "./loaded-model.ts";
import { openFileRunStore } from "./file-run-store.ts";
import { createIndexedRunStore } from "./indexed-run-store.ts";
import { claimedRuns, createRunClaims } from "./run-claims.ts";
import type { OwnChoice } from "./model-source-of.ts";
import { randomRunId } from "./run-id.ts";
import { createRunStore } from "./run-store.ts";
import { createEmbedderSlot } from "./scoring/browser-embedder.ts";
import { createBrowserSandbox } from "./scoring/browser-sandbox.ts";
import { withTurns } from "./turns.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: FromWorker): void => {
  scope.postMessage(message);
};
const now = (): number => performance.now();

const bundled = () => ({
  source: bundledFilesOf(createUrlSource(BUNDLED_MODEL, modelUrl(scope.location.href, import.meta.env.DEV))),
});
const ownModel = async (model: OwnChoice, onProgress: (progress: Progress) => void) => {
  const { identityOf, sourceOf } = await import("./model-source-of.ts");
  const { keepingOf } = await import("./browser-cache.ts");
  const wallClock = (): number => Date.now();
  const keeping = keepingOf(model, scope.navigator.storage, wallClock);
  const onWait = (leftMs: number): void => {
    onProgress({ phase: "wait", done: 0, total: 1, unit: "tries", leftMs });
  };
  return {
    source: await sourceOf(model, { onWait, wallClock }),
    use: model,
    identity: identityOf(model),
    keeping,
  };
};

/** Ends early when the signal fires. */
const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

const embedding = createEmbedderSlot();

const handlers = createHandlers({
  store: createRunStore(() => openFileRunStore(scope.navigator.storage), createIndexedRunStore()),
  emit: (event: WorkerEvent) => {
    post({ kind: "event", event });
  },
  now,
  wallClock: () => Date.now(),
  schedule: (callback, delayMs) => {
    setTimeout(callback, delayMs);
  },
  network: { fetch: (url, init) => fetch(url, init), sleep, wallClock: () => Date.now() },
  verdicts: async () => {
    const { openFileVerdictStore } = await import("./file-verdict-store.ts");
    return openFileVerdictStore({ storage: scope.navigator.storage, wallClock: () => Date.now() });
  },
  newId: randomRunId,
  tools: { sandbox: createBrowserSandbox(), embedder: embedding.embedder },
  embedding,
  claimRun: createRunClaims(navigator.locks),
  claimedRuns: () => claimedRuns(navigator.locks),
  openModel: async (choice, onProgress, model, signal) =>
    openModel({
      ...(model.kind === "bundled" ? bundled() : await ownModel(model, onProgress)),
      signal,
      choice,
      machine: await describeMachine(),
      openEngine: async (kind) =>
        withTurns(await (kind === "kernels" ? openKernelEngine() : openBrowserEngine(kind)), now),
      now,
      onProgress,
    }),
});

// held as long as this worker lives: the page learns from it that it ended, of whatever cause
const life = `rubric-playground/worker/${randomRunId()}`;
const living = navigator.locks as LockManager | undefined; // plain http has none
living
  ?.request(life, () => {
    post({ kind: "event", event: { kind: "alive", lock: life } });
    return new Promise<never>(() => undefined);
  })
  .catch(() => undefined); // blocked site data: its end stays unseen

scope.onmessage = (event: MessageEvent<ToWorker>) => {
  void answer(handlers, event.data).then(post);
};
