/**
 * Most bytes that a graph's intermediate results take while it runs. Inputs, weights and constants are not counted; a reshape takes
 * no memory; an operator's scratch is not known here.
 */
import { invariant } from "../../base/assert.ts";
import type { Graph, Value } from "./ir.ts";
import { type DType, sizeOf } from "./tensor.ts";

const BYTES: Readonly<Record<DType, number>> = { float32: 4, int32: 4, int64: 8, bool: 1, uint8: 1 };
/** Every runtime starts results at multiples of this. */
const ALIGN = 64;
/** onnxruntime's WebGPU provider hands the GPU so many dispatches at a time; buffers that are done with are let go after them. */
const DISPATCHES_AT_ONCE = 16;

interface Result {
  readonly bytes: number;
  /** Number of the dispatch that makes it, of those that compute something. */
  readonly first: number;
  last: number;
}

/**
 * On a processor: laid out one beside the other, each result in the first gap that is wide enough while it is needed.
 * @param graph optimised, all sizes known @throws PlaygroundError `internal` for a named size
 */
export function peakBytes(graph: Graph): number {
  return layOut(inOrder(resultsOf(graph)));
}

/**
 * On WebGPU, constants included: every result is a buffer of its own, which lives until the dispatches of its last reader are
 * handed over. Which those are is not known, since operators may take several: the worst is taken. One more of the largest
 * size is for operators that need it while they compute (seen where logits are reduced).
 */
export function peakBufferBytes(graph: Graph): number {
  const results = resultsOf(graph);
  const constants = graph.constants.reduce((sum, value) => sum + bytesOf(value, graph.name), 0);
  const most = Array.from({ length: DISPATCHES_AT_ONCE }, (_, shift) => mostAlive(results, shift));
  return constants + Math.max(...most) + largestOf(results);
}

/** Where a hand-over comes after every dispatch whose number plus `shift` is a multiple. */
function mostAlive(results: readonly Result[], shift: number): number {
  const change = new Map<number, number>();
  const add = (at: number, bytes: number): void => void change.set(at, (change.get(at) ?? 0) + bytes);
  for (const { bytes, first, last } of results) {
    const handedOver = DISPATCHES_AT_ONCE * (Math.floor((last + shift) / DISPATCHES_AT_ONCE) + 1) - shift;
    add(first, bytes);
    add(handedOver, -bytes);
  }
  let alive = 0;
  let most = 0;
  for (const at of [...change.keys()].sort((a, b) => a - b)) {
    alive += change.get(at) ?? 0;
    most = Math.max(most, alive);
  }
  return most;
}

/** Bytes of the largest result. */
export function largestResultBytes(graph: Graph): number {
  return largestOf(resultsOf(graph));
}

const largestOf = (results: readonly Result[]): number =>
  results.reduce((most, { bytes }) => Math.max(most, bytes), 0);

const inOrder = (results: readonly Result[]): readonly Result[] =>
  [...results].sort((a, b) => a.first - b.first);

function resultsOf({ name, nodes, outputs }: Graph): readonly Result[] {
  const results = new Map<Value, Result>();
  const memory = new Map<Value, Value>(); // whose memory a reshaped value has
  const use = (value: Value, at: number): void => {
    const result = results.get(memory.get(value) ?? value);
    if (result) result.last = Math.max(result.last, at);
  };
  let dispatch = 0;
  for (const node of nodes) {
    const renames = node.op === "reshape" || node.op === "stopGradient";
    for (const input of node.inputs) if (!renames) use(input, dispatch);
    const [input] = node.inputs;
    for (const output of node.outputs) {
      if (input && renames) memory.set(output, memory.get(input) ?? input);
      else results.set(output, { bytes: bytesOf(output, name), first: dispatch, last: dispatch });
    }
    if (!renames) dispatch++;
  }
  for (const { value } of outputs) use(value, dispatch);
  return [...results.values()];
}

function bytesOf({ dtype, dims }: Value, where: string): number {
  const sizes = dims.map((dim) => (typeof dim === "number" ? dim : NaN));
  invariant(!sizes.some(Number.isNaN), `graph ${where}`, "known sizes");
  return Math.ceil((BYTES[dtype] * sizeOf(sizes)) / ALIGN) * ALIGN;
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly last: number;
}

function layOut(results: readonly Result[]): number {
  let live: Block[] = []; // by start
  let most = 0;
  for (const { bytes, first, last } of results) {
    live = live.filter((block) => block.last >= first);
    let start = 0;
    let before = 0;
    for (const block of live) {
      if (block.start - start >= bytes) break;
      start = block.end;
      before++;
    }
    live.splice(before, 0, { start, end: start + bytes, last });
    most = Math.max(most, start + bytes);
  }
  return most;
}
