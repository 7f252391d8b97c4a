/** What criteria mean is asked once the embedding model is there, and of new words alone. */
import { beforeEach, expect, test, vi } from "vitest";
import { customerReply } from "../../domain/scenarios/customer-reply.ts";
import { scoringHandlers } from "../worker/scoring-handlers.ts";
import { FakeWorker } from "../../testing/fake-worker.ts";
import { createWorkerClient } from "../protocol/client.ts";
import { createApp, type App } from "./app-store.ts";
import { visitStorage } from "./visit-storage.ts";

let app: App;
let worker: FakeWorker;
beforeEach(async () => {
  worker = new FakeWorker();
  app = createApp({
    client: createWorkerClient(() => worker, "fake-worker"),
    openStorage: () => visitStorage(),
    scenarios: [customerReply],
  });
  await app.actions.boot();
});
const state = () => app.store.getState();
const known = () => [...(state().meanings?.vectors.keys() ?? [])];
const asked = () =>
  worker.requests.flatMap((request) => (request.name === "embedTexts" ? [request.params.texts] : []));

test("without the model nothing is asked, with it every criterion's words, and after an edit the new ones", async () => {
  const [first, ...others] = state().rubric.criteria;
  if (first === undefined) throw new Error("no criteria");
  expect(await app.actions.loadEmbedder(null)).toBe(false);
  app.actions.putCriterion({ ...first, text: "Says hello" });
  expect(asked()).toEqual([]);
  await app.actions.loadEmbedder({ kind: "files", files: [] });
  expect(known()).toEqual(["Says hello", ...others.map(({ text }) => text)]);
  app.actions.putCriterion({ ...first, text: "Says good-bye" });
  app.actions.setWeight(first.id, 7);
  await vi.waitFor(() => {
    expect(known()).toContain("Says good-bye");
  });
  expect(known()).toContain("Says hello");
  expect(asked()[1]).toEqual(["Says good-bye"]);
});

test("a worker without embeddings, or without the model, gives none", async () => {
  const { embedTexts } = scoringHandlers(undefined, () => undefined);
  expect(await embedTexts({ texts: ["a"] })).toEqual({ by: "all-MiniLM-L6-v2", vectors: [] });
});
