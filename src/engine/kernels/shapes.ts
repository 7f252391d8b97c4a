/** The sizes of every tensor of a graph, once those of its inputs are known. */
import { defined, invariant } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import { showDims } from "../graph/dims.ts";
import type { Dim, Graph, Node, Value } from "../graph/ir.ts";
import { opOf } from "../graph/ops/registry.ts";

export type Shapes = ReadonlyMap<Value, readonly number[]>;

/** @throws PlaygroundError `graph-invalid` where an input's sizes do not fit the graph */
export function shapesOf(graph: Graph, inputDims: (value: Value) => readonly number[]): Shapes {
  const sizes = new Map<string, number>();
  const shapes = new Map<Value, readonly number[]>();
  for (const value of graph.inputs) {
    const dims = inputDims(value);
    if (dims.length !== value.dims.length || !value.dims.every((dim, i) => bind(dim, dims[i] ?? 0, sizes))) {
      throw badInput(graph, value, dims);
    }
    shapes.set(value, dims);
  }
  for (const value of graph.constants) shapes.set(value, value.dims as readonly number[]);
  for (const node of graph.nodes) inferNode(node, shapes, sizes);
  return shapes;
}

/** Records a named size at its first sight; false where it contradicts. */
function bind(dim: Dim, size: number, sizes: Map<string, number>): boolean {
  if (typeof dim === "number") return dim === size;
  const known = sizes.get(dim);
  if (known === undefined) sizes.set(dim, size);
  return known === undefined || known === size;
}

function inferNode(
  node: Node,
  shapes: Map<Value, readonly number[]>,
  sizes: ReadonlyMap<string, number>,
): void {
  const known = node.outputs.every(({ dims }) => dims.every((dim) => typeof dim === "number"));
  const specs = known
    ? node.outputs
    : opOf(node.op).infer(
        node.inputs.map((value) => ({ ...value, dims: defined(shapes.get(value), node.op) })),
        boundAttrs(node, sizes, shapes),
      );
  node.outputs.forEach((output, i) => shapes.set(output, (specs[i]?.dims ?? []) as readonly number[]));
}

/** Attributes that hold shapes, their names replaced by sizes, and a slice's bounds within the axis that it cuts. */
function boundAttrs(node: Node, sizes: ReadonlyMap<string, number>, shapes: Shapes): object {
  if (node.op === "slice") {
    const { axis, start, end } = node.attrs as { axis: number; start: number; end: number };
    const size = defined(shapes.get(defined(node.inputs[0], node.op)), node.op)[axis] ?? 0;
    const bound = (place: number): number => Math.min(size, Math.max(0, place < 0 ? place + size : place));
    return { ...node.attrs, start: bound(start), end: Math.max(bound(start), bound(end)) };
  }
  const { dims, presentLength } = node.attrs as { dims?: readonly Dim[]; presentLength?: Dim };
  return {
    ...node.attrs,
    ...(dims === undefined ? {} : { dims: dims.map((dim) => sizeOf(dim, sizes)) }),
    ...(presentLength === undefined ? {} : { presentLength: sizeOf(presentLength, sizes) }),
  };
}

/** A name, or a sum, difference or product of sizes such as "Tp+1" or "16*Tp". */
function sizeOf(dim: Dim, sizes: ReadonlyMap<string, number>): number {
  if (typeof dim === "number") return dim;
  const named = (part: string): number => sizes.get(part) ?? Number(part);
  const term = (text: string): number => {
    const size = text
      .replace(/^[+-]/, "")
      .split("*")
      .reduce((n, part) => n * named(part), 1);
    return text.startsWith("-") ? -size : size;
  };
  const size = sizes.get(dim) ?? (dim.match(/[+-]?[^+-]+/g) ?? []).map(term).reduce((a, b) => a + b, 0);
  invariant(!Number.isNaN(size), `size ${dim}`, "names of the inputs' sizes");
  return size;
}

function badInput(graph: Graph, value: Value, dims: readonly number[]): PlaygroundError {
  return new PlaygroundError({
    code: "graph-invalid",
    where: `input ${value.name ?? ""} of graph ${graph.name}`,
    expected: `${value.dtype} ${showDims(value.dims, value.axes)}`,
    got: showDims(dims),
    next: "Feed every input with a tensor of its shape.",
  });
}
