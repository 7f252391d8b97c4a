import { expect, test, vi } from "vitest";
import { createWorkerClient, requestFault, type WorkerPort } from "./client.ts";
import type { ToWorker, WorkerEvent } from "./messages.ts";

function silentPort(): WorkerPort & { sent: ToWorker[] } {
  const sent: ToWorker[] = [];
  return {
    sent,
    onmessage: null,
    onerror: null,
    postMessage: (message) => void sent.push(message),
    terminate: () => undefined,
  };
}

test("answers reach their own request, whatever their order", async () => {
  const port = silentPort();
  const client = createWorkerClient(() => port, "worker.js");
  const first = client.request("listRuns", {});
  const second = client.request("createRun", { spec: {} as never, seeds: [1] });
  const [a, b] = port.sent;
  expect([a?.name, b?.name]).toEqual(["listRuns", "createRun"]);
  port.onmessage?.({ data: { kind: "result", id: b?.id ?? -1, result: { runId: "r" } } });
  port.onmessage?.({ data: { kind: "result", id: a?.id ?? -1, result: { place: "files", runs: [] } } });
  await expect(second).resolves.toEqual({ runId: "r" });
  await expect(first).resolves.toEqual({ place: "files", runs: [] });
});

test("a fault keeps its code across the edge", async () => {
  const port = silentPort();
  const client = createWorkerClient(() => port, "worker.js");
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
  const client = createWorkerClient(() => port, "worker.js");
  const events: WorkerEvent[] = [];
  const off = client.onEvent((event) => events.push(event));
  const request = client.request("pause", {});
  port.onmessage?.({ data: { kind: "event", event: { kind: "progress", progress: null } } });
  events.length = 0;
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
  const client = createWorkerClient(() => port, "worker.js");
  client.onEvent(listener);
  void client.request("pause", {});
  port.onmessage?.({ data: { kind: "result", id: 99, result: {} } });
  expect(listener).not.toHaveBeenCalled();
});

test("a worker that never came to life is named, and the next request makes a new one", async () => {
  const ports: ReturnType<typeof silentPort>[] = [];
  const client = createWorkerClient(() => {
    ports.push(silentPort());
    return ports.at(-1) as WorkerPort;
  }, "assets/worker.js");
  const first = client.request("listRuns", {});
  ports[0]?.onerror?.({}); // the browser says no more than that it could not be loaded
  await expect(first).rejects.toMatchObject({
    code: "worker-failed",
    message: expect.stringMatching(/^assets\/worker\.js: .*could not be loaded/) as string,
  });
  const second = client.request("listRuns", {});
  expect(ports).toHaveLength(2);
  ports[1]?.onmessage?.({
    data: { kind: "result", id: ports[1].sent[0]?.id ?? -1, result: { place: "files", runs: [] } },
  });
  await expect(second).resolves.toEqual({ place: "files", runs: [] });
  const third = client.request("listRuns", {});
  ports[1]?.onerror?.({ message: "out of memory" });
  await expect(third).rejects.toMatchObject({ code: "internal" });
  void client.request("listRuns", {});
  expect(ports).toHaveLength(2); // it answered before: it may go on
});

test("a browser that refuses to make a worker is a fault of the request", async () => {
  const client = createWorkerClient(() => {
    throw new Error("Workers are blocked here");
  }, "worker.js");
  await expect(client.request("listRuns", {})).rejects.toMatchObject({
    code: "worker-failed",
    message: "worker.js: Workers are blocked here",
  });
});

test("a worker that ends without a word is known by its lock, and the next request makes another", async () => {
  const ports = [silentPort(), silentPort()];
  let made = 0;
  let free = (): void => undefined;
  const awaited: string[] = [];
  const client = createWorkerClient(
    () => ports[made++] as WorkerPort,
    "worker.js",
    (lock) =>
      new Promise((resolve) => {
        awaited.push(lock);
        free = resolve;
      }),
  );
  const events: WorkerEvent[] = [];
  client.onEvent((event) => events.push(event));
  const lost = client.request("train", {});
  ports[0]?.onmessage?.({ data: { kind: "event", event: { kind: "alive", lock: "life" } } });
  expect(awaited).toEqual(["life"]);
  free();
  await expect(lost).rejects.toMatchObject({ code: "worker-ended" });
  expect(events).toMatchObject([{ kind: "fault", fault: { code: "worker-ended" } }, { kind: "ended" }]);
  void client.request("pause", {}).catch(() => undefined);
  expect([made, ports[1]?.sent[0]?.name]).toEqual([2, "pause"]);
});
