/** Which sessions are kept, on an engine that only counts them. */
import { expect, it } from "vitest";
import { Graph } from "../../engine/graph/ir.ts";
import { float32 } from "../../engine/graph/tensor.ts";
import { neg } from "../../engine/graph/ops/elementwise.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { compiledGraphs } from "./compiled-graphs.ts";

function smallGraph(): Graph {
  const graph = new Graph("small");
  graph.output("y", neg(graph.input("x", "float32", [1])));
  return graph;
}

function countingEngine(kind: Engine["info"]["kind"] = "cpu"): {
  readonly engine: Engine;
  readonly open: Set<string>;
} {
  const open = new Set<string>();
  const engine: Partial<Engine> = {
    info: { kind, threads: 1, adapter: null, software: false },
    compile: (_, { name }) => {
      open.add(name);
      const dispose = (): Promise<void> => {
        open.delete(name);
        return Promise.resolve();
      };
      return Promise.resolve({ name, run: () => Promise.resolve({}), dispose });
    },
  };
  return { engine: engine as Engine, open };
}

it("lets the session go that was unused longest, among those that hold weights and the others apart", async () => {
  const { engine, open } = countingEngine();
  const graphs = compiledGraphs(engine, new Map());
  for (let i = 0; i < 16; i++) {
    await graphs.get(`heavy ${i}`, smallGraph);
    await graphs.get(`light ${i}`, smallGraph, { weights: "inputs" });
  }
  await graphs.get("heavy 0", smallGraph); // used again: heavy 1 is the oldest now
  await graphs.get("heavy 16", smallGraph);
  await graphs.get("light 16", smallGraph, { weights: "inputs" });
  expect(open.size).toBe(16 + 17);
  expect(open.has("heavy 0")).toBe(true);
  expect(open.has("heavy 1")).toBe(false);
  await graphs.dispose();
  expect(open.size).toBe(0);
});

it.each([
  ["wasm", 2 ** 25, 3], // onnxruntime: each session has a copy of 128 MiB
  ["wasm", 2 ** 20, 5],
  ["kernels", 2 ** 25, 5], // one copy for all
] as const)(
  "on %s with %i float weights keeps %i sessions of five that hold them",
  async (kind, size, kept) => {
    const { engine, open } = countingEngine(kind);
    const graphs = compiledGraphs(engine, new Map([["w", float32([size], new Float32Array(size))]]));
    for (let i = 0; i < 5; i++) await graphs.get(`heavy ${i}`, smallGraph);
    expect(open.size).toBe(kept);
  },
);
