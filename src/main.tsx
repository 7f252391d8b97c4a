/** Composition root of the page: makes the worker, the store and the view, and starts loading. */
import { createRoot } from "react-dom/client";
import { createWorkerClient, type WorkerPort } from "./app/protocol/client.ts";
import { createSimulatorClient, type SimulatorPort } from "./app/simulator/client.ts";
import simulatorUrl from "./app/simulator/simulator-worker.ts?worker&url";
import { createApp } from "./app/store/app-store.ts";
import workerUrl from "./app/worker/main.ts?worker&url";
import { firstPaint } from "./app/ui/first-paint.ts";
import { Page } from "./app/ui/page.tsx";
import { defined } from "./base/assert.ts";
import { checks } from "./domain/rubric/checks/registry.ts";
import { rowsToCsv, rowsToJsonl } from "./domain/run/export.ts";
import { scenarios } from "./domain/scenarios/registry.ts";
import { names } from "./domain/scenarios/words/names.ts";
import { products } from "./domain/scenarios/words/products.ts";

const makeWorker = (): WorkerPort => new Worker(workerUrl, { type: "module" }) as unknown as WorkerPort;
const locks = navigator.locks as LockManager | undefined; // plain http has none
const awaitLock =
  locks === undefined ? null : (name: string): Promise<void> => locks.request(name, () => undefined);
const [first, ...others] = Object.values(scenarios);
const app = createApp({
  client: createWorkerClient(makeWorker, workerUrl, awaitLock),
  openStorage: () => window.localStorage,
  openTab: () => window.sessionStorage,
  scenarios: [defined(first, "scenarios"), ...others],
});
const makeSimulator = () =>
  createSimulatorClient(() => new Worker(simulatorUrl, { type: "module" }) as unknown as SimulatorPort);
const exporters = { csv: rowsToCsv, jsonl: rowsToJsonl };
const deps = { app, checks, words: { names, products }, exporters, makeSimulator };
createRoot(defined(document.querySelector("#root"), "index.html")).render(<Page deps={deps} />);
// a tab that is hidden may be frozen or thrown out without another word
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void app.actions.keepCheckpoint();
});
void firstPaint.then(() => app.actions.boot());
