/** Weights in the kernels' memory: one copy for all who lease it, gone with the last. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Graph } from "../graph/ir.ts";
import { add } from "../graph/ops/elementwise.ts";
import { gather } from "../graph/ops/gather.ts";
import { linear } from "../graph/ops/linear.ts";
import { float32, type HostTensor, int32 } from "../graph/tensor.ts";
import { createFixedTensors } from "./fixed-tensors.ts";
import { createHeap, type Heap } from "./heap.ts";
import { createKernelEngine } from "./kernel-engine.ts";
import { instantiateKernels } from "./module.ts";

const PLAIN = readFileSync(new URL("kernels.wasm", import.meta.url));

async function open() {
  const heap = createHeap();
  const kernels = await instantiateKernels(new WebAssembly.Module(PLAIN), heap);
  return { heap, store: createFixedTensors(heap, kernels) };
}

/** Where the next block would go: lower means memory was given back. */
function nextAddress(heap: Heap, bytes: number): number {
  const address = heap.allocate(bytes);
  heap.free(address);
  return address;
}

const W = float32(
  [3, 9],
  Float32Array.from({ length: 27 }, (_, i) => i),
);

it("packs panels of eight columns, the last filled up with zeros, as it lies and turned", async () => {
  const { heap, store } = await open();
  const lease = store.lease();
  const packed = [...heap.floats(lease.packed(W, false), 48)]; // [3, 9]: two panels of three rows
  expect(packed.slice(0, 24)).toEqual(
    [0, 9, 18].flatMap((row) => [0, 1, 2, 3, 4, 5, 6, 7].map((i) => row + i)),
  );
  expect(packed.slice(24)).toEqual([8, 17, 26].flatMap((x) => [x, 0, 0, 0, 0, 0, 0, 0]));
  const turned = [...heap.floats(lease.packed(W, true), 72)]; // [9, 3]: one panel of nine rows
  expect(turned).toEqual(Array.from({ length: 9 }, (_, k) => [k, 9 + k, 18 + k, 0, 0, 0, 0, 0]).flat());
  expect([...heap.floats(lease.raw(W), 27)]).toEqual([...(W.data as Float32Array)]);
  const whole: HostTensor = { dtype: "int64", dims: [2], data: BigInt64Array.of(5n, -7n) };
  expect([...heap.ints(lease.raw(whole), 2)]).toEqual([5, -7]);
});

it("shares a tensor's forms between leases until the last ends, and counts each lease once", async () => {
  const { heap, store } = await open();
  const start = nextAddress(heap, 4);
  const [first, second] = [store.lease(), store.lease()];
  const raw = first.raw(W);
  const packed = first.packed(W, false);
  expect(first.raw(W)).toBe(raw);
  expect(second.raw(W)).toBe(raw);
  expect(second.packed(W, false)).toBe(packed);
  expect(second.packed(W, true)).not.toBe(packed);
  expect(store.lease().raw(float32(W.dims, Float32Array.from(W.data, Number)))).not.toBe(raw); // another tensor
  first.end();
  first.end();
  expect([...heap.floats(raw, 3)]).toEqual([0, 1, 2]);
  expect(nextAddress(heap, 4)).not.toBe(start);
  expect(second.raw(W)).toBe(raw);
  second.end();
  expect(nextAddress(heap, 4)).toBe(start);
});

it("lets memory not grow over 200 rounds of compiling, running and disposing, beside a session that stays", async () => {
  const memories: WebAssembly.Memory[] = [];
  const Plain = WebAssembly.Memory;
  WebAssembly.Memory = class extends Plain {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      memories.push(this);
    }
  };
  const engine = await createKernelEngine(PLAIN).finally(() => {
    WebAssembly.Memory = Plain;
  });
  const n = 256;
  const matrix = (seed: number): HostTensor =>
    float32(
      [n, n],
      Float32Array.from({ length: n * n }, (_, i) => ((i * seed) % 7) - 3),
    );
  const shared = matrix(3);
  const session = (own: HostTensor) => {
    const graph = new Graph("round");
    const x = graph.input("x", "float32", [2, n]);
    const [a, b] = [graph.weight("shared", "float32", [n, n]), graph.weight("own", "float32", [n, n])];
    const rows = gather(a, graph.constant("int32", [2], Int32Array.of(1, 0)));
    graph.output("y", add(linear(linear(x, a), b), linear(rows, a)));
    const weights = new Map([
      ["shared", shared],
      ["own", own],
    ]);
    return engine.compile(graph, { name: "round", weights, deviceOutputs: ["y"] });
  };
  const x = float32([2, n], new Float32Array(2 * n).fill(0.5));
  const stays = await session(matrix(5));
  const wanted = await engine.download((await stays.run({ x }))["y"] as never);
  let early = 0;
  for (let round = 0; round < 200; round++) {
    const each = await session(matrix(5 + (round % 3)));
    const { y } = await each.run({ x });
    if (y !== undefined && "device" in y) engine.release(y);
    await each.dispose();
    if (round === 2) early = memories[0]?.buffer.byteLength ?? 0;
  }
  expect(early).toBeGreaterThan(n * n * 4);
  expect(memories.map(({ buffer }) => buffer.byteLength)).toEqual([early]);
  expect(engine.liveBuffers().count).toBe(1);
  expect(await engine.download((await stays.run({ x }))["y"] as never)).toEqual(wanted);
});

it("holds no tensor of a run that fails half-way", async () => {
  const engine = await createKernelEngine(PLAIN);
  const graph = new Graph("pick");
  const table = graph.input("table", "float32", [4, 2]);
  graph.output("y", gather(table, graph.input("indices", "int32", [2])));
  const session = await engine.compile(graph, { name: "pick", deviceOutputs: ["y"] });
  const feeds = { table: float32([4, 2], new Float32Array(8)) };
  await expect(session.run({ ...feeds, indices: int32([2], Int32Array.of(1, 9)) })).rejects.toThrow(/9/);
  expect(engine.liveBuffers().count).toBe(0);
  const { y } = await session.run({ ...feeds, indices: int32([2], Int32Array.of(1, 3)) });
  expect(y?.dims).toEqual([2, 2]);
  expect(engine.liveBuffers()).toEqual({ count: 1, bytes: 16 });
});
