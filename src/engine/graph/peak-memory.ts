/**
 * Most bytes that a graph's intermediate results take while it runs, laid out one after the other as runtimes do: each result
 * takes the first gap that is wide enough while it is needed. Inputs, weights and constants are not counted. A reshape takes no
 * memory; an operator's scratch is not known here.
 */
import { invariant } from "../../base/assert.ts";
import type { Graph, Value } from "./ir.ts";
import { type DType, sizeOf } from "./tensor.ts";

const BYTES: Readonly<Record<DType, number>> = { float32: 4, int32: 4, int64: 8, bool: 1, uint8: 1 };
/** Every runtime starts results at multiples of this. */
const ALIGN = 64;

interface Result {
  readonly bytes: number;
  readonly first: number;
  last: number;
}

/** @param graph optimised, all sizes known @throws PlaygroundError `internal` for a named size */
export function peakBytes(graph: Graph): number {
  return layOut([...resultsOf(graph).values()].sort((a, b) => a.first - b.first));
}

function resultsOf({ name, nodes, outputs }: Graph): ReadonlyMap<Value, Result> {
  const results = new Map<Value, Result>();
  const memory = new Map<Value, Value>(); // whose memory a reshaped value has
  const use = (value: Value, at: number): void => {
    const result = results.get(memory.get(value) ?? value);
    if (result) result.last = Math.max(result.last, at);
  };
  nodes.forEach((node, at) => {
    for (const input of node.inputs) use(input, at);
    const [input] = node.inputs;
    for (const output of node.outputs) {
      if (input && (node.op === "reshape" || node.op === "stopGradient")) {
        memory.set(output, memory.get(input) ?? input);
      } else {
        results.set(output, { bytes: bytesOf(output, name), first: at, last: at });
      }
    }
  });
  for (const { value } of outputs) use(value, nodes.length);
  return results;
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
