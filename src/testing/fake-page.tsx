/** The page on the fake worker, for browser tests and for looking at it (fake-page.html, served in development only). */
import { createRoot, type Root } from "react-dom/client";
import { createWorkerClient } from "../app/protocol/client.ts";
import { createSimulatorClient, type SimulatorPort } from "../app/simulator/client.ts";
import simulatorUrl from "../app/simulator/simulator-worker.ts?worker&url";
import { visitStorage } from "../app/store/visit-storage.ts";
import { createApp, type App } from "../app/store/app-store.ts";
import type { KeyValueStorage } from "../app/store/page-storage.ts";
import { Page } from "../app/ui/page.tsx";
import { checks } from "../domain/rubric/checks/registry.ts";
import { rowsToCsv, rowsToJsonl } from "../domain/run/export.ts";
import { customerReply } from "../domain/scenarios/customer-reply.ts";
import { yourOwnPrompts } from "../domain/scenarios/your-own-prompts.ts";
import { names } from "../domain/scenarios/words/names.ts";
import { products } from "../domain/scenarios/words/products.ts";
import { FakeWorker, type FakeWorkerOptions } from "./fake-worker.ts";

export interface FakePage {
  readonly app: App;
  readonly worker: FakeWorker;
  readonly root: Root;
}

export function mountFakePage(
  element: Element,
  options: FakeWorkerOptions = {},
  storage: KeyValueStorage = visitStorage(),
): FakePage {
  const worker = new FakeWorker(options);
  const app = createApp({
    client: createWorkerClient(() => worker, "fake-worker"),
    openStorage: () => storage,
    scenarios: [customerReply, yourOwnPrompts],
  });
  const exporters = { csv: rowsToCsv, jsonl: rowsToJsonl };
  const makeSimulator = () =>
    createSimulatorClient(() => new Worker(simulatorUrl, { type: "module" }) as unknown as SimulatorPort);
  const root = createRoot(element);
  root.render(<Page deps={{ app, checks, words: { names, products }, exporters, makeSimulator }} />);
  void app.actions.boot();
  return { app, worker, root };
}
