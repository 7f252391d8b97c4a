import { expect, test, vi } from "vitest";
import { createWorkerClient, requestFault, type WorkerPort } from "./client.ts";
import type { ToWorker, WorkerEvent } from "./messages.ts";

function silentPort(): WorkerPort & { sent: ToWorker[] } {
  const sent: ToWorker[] = [];
  return { sent, onmessage: null, onerror: null, postMessage: (message) => void sent.push(message) };
}

test("answers reach their own request, whatever their order", async () => {
  const port = silentPort();
  const client = createWorkerClient(port);
  const first = client.request("listRuns", {});
  const second = client.request("createRun", { spec: {} as never });
  const [a, b] = port.sent;
  expect([a?.name, b?.name]).toEqual(["listRuns", "createRun"]);
  port.onmessage?.({ data: { kind: "result", id: b?.id ?? -1, result: { runId: "r" } } });
  port.onmessage?.({ data: { kind: "result", id: a?.id ?? -1, result: { runs: [] } } });
  await expect(second).resolves.toEqual({ runId: "r" });
  await expect(first).resolves.toEqual({ runs: [] });
});

test("a fault keeps its code across the edge", async () => {
  const port = silentPort();
  const client = createWorkerClient(port);
  const request = client.request("train", {});
  const fault = {
    code: "run-state" as const,
    message: "run: expected a run, got none. Create one.",
    where: "run",
  };
  port.onmessage?.({ data: { kind: "error", id: port.sent[0]?.id ?? -1, fault } });
  const error: unknown = await request.catch((e: unknown) => e);
  expect(requestFault(error, "page")).toEqual(fault);
});

test("a crash of the worker fails open requests and is told as an event", async () => {
  const port = silentPort();
  const client = createWorkerClient(port);
  const events: WorkerEvent[] = [];
  const off = client.onEvent((event) => events.push(event));
  const request = client.request("pause", {});
  port.onerror?.({ message: "out of memory" });
  await expect(request).rejects.toMatchObject({ code: "internal", message: "worker: out of memory" });
  expect(events).toEqual([
    { kind: "fault", fault: { code: "internal", message: "worker: out of memory", where: "worker" } },
  ]);
  off();
  port.onmessage?.({ data: { kind: "event", event: { kind: "progress", progress: null } } });
  expect(events).toHaveLength(1);
});

test("an answer without a request is ignored", () => {
  const port = silentPort();
  const listener = vi.fn();
  createWorkerClient(port).onEvent(listener);
  port.onmessage?.({ data: { kind: "result", id: 99, result: {} } });
  expect(listener).not.toHaveBeenCalled();
});
