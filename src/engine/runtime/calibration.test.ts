/** Calibration picks by measured time, never a software adapter by itself, and says why. */
import { expect, test } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { calibrate, type Candidate, type PreparedWorkload } from "./calibration.ts";
import type { Engine } from "./engine.ts";
import { openNodeEngine } from "./ort-node.ts";

/** A real engine under another name, so that only the clock is made up. */
function candidate(kind: "wasm" | "webgpu", software = false): Candidate & { disposed: () => boolean } {
  let disposed = false;
  const open = (): Promise<Engine> => {
    const engine = openNodeEngine(1);
    const dispose = async (): Promise<void> => {
      disposed = true;
      await engine.dispose();
    };
    return Promise.resolve({ ...engine, info: { ...engine.info, kind, software }, dispose });
  };
  return { kind, software, open, disposed: () => disposed };
}

/** A clock that each run moves on by the engine's next duration; the first run of each is the warm-up. */
function workloads(durations: Record<string, number[]>): {
  clock: () => number;
  prepare: (engine: Engine) => Promise<PreparedWorkload>;
} {
  let now = 0;
  const prepare = (engine: Engine): Promise<PreparedWorkload> => {
    const left = [...(durations[engine.info.kind] ?? [])];
    const run = (): Promise<void> => {
      now += left.shift() ?? 0;
      return Promise.resolve();
    };
    return Promise.resolve({ run, dispose: () => Promise.resolve() });
  };
  return { clock: () => now, prepare };
}

const broken = (kind: "wasm" | "webgpu"): Candidate => ({
  kind,
  software: false,
  open: () =>
    Promise.reject(
      new PlaygroundError({
        code: "webgpu-missing",
        where: kind,
        expected: "one",
        got: "none",
        next: "Go on.",
      }),
    ),
});

test("picks the faster engine by its best run, the warm-up left out, and disposes the other", async () => {
  const [wasm, webgpu] = [candidate("wasm"), candidate("webgpu")];
  const { prepare, clock } = workloads({ wasm: [1, 40, 30], webgpu: [900, 20, 25] });
  const tries: string[] = [];
  const onTry = (done: number, total: number): void => {
    tries.push(`${done}/${total}`);
  };
  const result = await calibrate([wasm, webgpu], prepare, { choice: "auto", tries: 2, clock, onTry });
  expect(result.engine.info.kind).toBe("webgpu");
  expect(result.figures.map(({ kind, bestMs }) => [kind, bestMs])).toEqual([
    ["wasm", 30],
    ["webgpu", 20],
  ]);
  expect(result.reason).toBe("WebGPU: 20 ms for the test run; 30 ms on WASM");
  expect([wasm.disposed(), webgpu.disposed()]).toEqual([true, false]);
  expect(tries).toEqual(["1/6", "2/6", "3/6", "4/6", "5/6", "6/6"]);
  await result.engine.dispose();
});

test("keeps the first engine when the second is slower", async () => {
  const [wasm, webgpu] = [candidate("wasm"), candidate("webgpu")];
  const { prepare, clock } = workloads({ wasm: [1, 3], webgpu: [1, 5] });
  const result = await calibrate([wasm, webgpu], prepare, { choice: "auto", tries: 1, clock });
  expect(result.reason).toBe("WASM: 3.0 ms for the test run; 5.0 ms on WebGPU");
  expect([wasm.disposed(), webgpu.disposed()]).toEqual([false, true]);
  await result.engine.dispose();
});

test("does not even open a software adapter by itself, but does when chosen", async () => {
  const candidates = [candidate("wasm"), candidate("webgpu", true)];
  const { prepare, clock } = workloads({ wasm: [1, 50], webgpu: [1, 1] });
  const auto = await calibrate(candidates, prepare, { choice: "auto", tries: 1, clock });
  expect(auto.engine.info.kind).toBe("wasm");
  expect(auto.reason).toContain("WebGPU has a software adapter only");
  const chosen = await calibrate(candidates, prepare, { choice: "webgpu", tries: 1, clock });
  expect(chosen.engine.info.kind).toBe("webgpu");
  expect(chosen.reason).toContain("as chosen");
  expect(chosen.reason).toContain("software");
  await auto.engine.dispose();
  await chosen.engine.dispose();
});

test("goes on without an engine that does not start, with its fault among the figures", async () => {
  const { prepare, clock } = workloads({ wasm: [1, 2] });
  const result = await calibrate([broken("webgpu"), candidate("wasm")], prepare, {
    choice: "auto",
    tries: 1,
    clock,
  });
  expect(result.figures[0]).toMatchObject({
    kind: "webgpu",
    bestMs: null,
    fault: { code: "webgpu-missing" },
  });
  expect(result.reason).toBe("WASM: 2.0 ms for the test run; WebGPU did not start");
  await result.engine.dispose();
});

test("passes on the fault when nothing starts or the chosen one does not", async () => {
  const { prepare, clock } = workloads({});
  for (const choice of ["auto", "webgpu"] as const) {
    await expect(calibrate([broken("webgpu")], prepare, { choice, tries: 1, clock })).rejects.toMatchObject({
      code: "webgpu-missing",
    });
  }
});
