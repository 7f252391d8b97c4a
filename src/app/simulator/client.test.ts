import { describe, expect, it } from "vitest";
import { compareRules } from "../../domain/simulator/compare-rules.ts";
import { simulatorSettingsSchema } from "../../domain/simulator/settings.ts";
import { simulatedMap } from "../../domain/simulator/simulated-map.ts";
import { createSimulatorClient, type SimulatorPort } from "./client.ts";
import { jobSteps } from "./job-steps.ts";
import type { SimulatorJob, ToSimulator } from "./messages.ts";

const settings = simulatorSettingsSchema.parse({
  criteria: 4,
  categories: 2,
  steps: 20,
  goalStep: 10,
  seeds: 4,
});
const job = { kind: "compare", settings, rules: ["pow3r", "gdpo"] } as const satisfies SimulatorJob;

describe("a job", () => {
  it("tells of the seeds so far as often as is due, and at the end of all", () => {
    let time = 0;
    // each look at the clock is 100 ms later; a picture is due 120 ms after the last
    const told = [...jobSteps(job, () => (time += 100))];
    expect(told.map((progress) => progress?.done ?? null)).toEqual([null, 2, null, 4]);
    const last = told.at(-1);
    expect(last).toEqual({
      kind: "compare",
      done: 4,
      total: 4,
      comparison: compareRules(settings, job.rules),
    });
    const still = [...jobSteps(job, () => 0)];
    expect(still.map((progress) => progress?.done ?? null)).toEqual([null, null, null, 4]);
  });

  it("gives the map cell by cell", () => {
    const told = [...jobSteps({ kind: "map", settings }, () => 0)];
    const cells = [...simulatedMap(settings)];
    expect(told).toEqual(cells.map((cell, at) => ({ kind: "map", done: at + 1, total: 9, cell })));
  });
});

describe("the client", () => {
  class FakePort implements SimulatorPort {
    readonly sent: ToSimulator[] = [];
    ended = false;
    onmessage: SimulatorPort["onmessage"] = null;
    onerror: SimulatorPort["onerror"] = null;
    postMessage(message: ToSimulator): void {
      this.sent.push(message);
    }
    terminate(): void {
      this.ended = true;
    }
  }
  const open = () => {
    const ports: FakePort[] = [];
    const client = createSimulatorClient(() => {
      const port = new FakePort();
      ports.push(port);
      return port;
    });
    const heard: string[] = [];
    const listen = (name: string) => ({
      onProgress: ({ done }: { done: number }) => heard.push(`${name} ${String(done)}`),
      onFault: ({ code }: { code: string }) => heard.push(`${name} ${code}`),
    });
    return { client, ports, heard, listen };
  };
  const [progress] = [...jobSteps({ kind: "map", settings }, () => 0)];

  it("hears the newest job alone", () => {
    const { client, ports, heard, listen } = open();
    client.start(job, listen("first"));
    client.start(job, listen("second"));
    const [port] = ports;
    if (progress === null || progress === undefined) throw new Error("no progress");
    for (const { id } of port?.sent ?? []) port?.onmessage?.({ data: { id, progress } });
    expect(heard).toEqual(["second 1"]);
    expect(ports.length).toBe(1);
  });

  it("makes a new worker after a close or a crash", () => {
    const { client, ports, heard, listen } = open();
    client.start(job, listen("a"));
    client.close();
    expect(ports[0]?.ended).toBe(true);
    client.start(job, listen("b"));
    ports[1]?.onerror?.({});
    client.start(job, listen("c"));
    expect(heard).toEqual(["b worker-failed"]);
    expect(ports.length).toBe(3);
  });
});
