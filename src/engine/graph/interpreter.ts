/**
 * Runs a graph in float64 with the operators' reference implementations: the oracle that everything else is held to.
 * Constants count as they were given (0.1, a rotation table in float64), not as the float32 that the ONNX form stores.
 */
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import { showDims } from "./dims.ts";
import type { Dim, Graph, Value } from "./ir.ts";
import type { RefTensor } from "./op.ts";
import { opOf } from "./ops/registry.ts";

/** Numbers as they come: plain, typed or 64-bit integers. */
export type NumArray = ArrayLike<number> | BigInt64Array;

/** Numbers alone, where one size at most is unknown, or with their shape. */
export type Feed = NumArray | { readonly dims: readonly number[]; readonly data: NumArray };

type Environment = Map<Value, RefTensor>;

/** The outputs by name. Named sizes are read off the feeds. @throws PlaygroundError `graph-invalid` on a wrong feed. */
export function interpret(graph: Graph, feeds: Readonly<Record<string, Feed>>): Record<string, RefTensor> {
  const sizes = new Map<string, number>();
  const environment: Environment = new Map();
  for (const value of graph.inputs) {
    const feed = feeds[value.name ?? ""];
    if (feed === undefined) throw badFeed(graph, value, "nothing");
    environment.set(value, feedTensor(graph, value, { feed, sizes }));
  }
  runNodes(graph, environment);
  return Object.fromEntries(graph.outputs.map(({ name, value }) => [name, valueIn(environment, value)]));
}

function badFeed(graph: Graph, value: Value, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "graph-invalid",
    where: `feed ${value.name ?? ""} of graph ${graph.name}`,
    expected: `${value.dtype} ${showDims(value.dims)}`,
    got,
    next: "Feed every input with a tensor of its shape.",
  });
}

function toFloat64(data: NumArray): Float64Array {
  return data instanceof BigInt64Array ? Float64Array.from(data, Number) : Float64Array.from(data);
}

function feedTensor(
  graph: Graph,
  value: Value,
  { feed, sizes }: { readonly feed: Feed; readonly sizes: Map<string, number> },
): RefTensor {
  const shaped = "dims" in feed;
  const data = toFloat64(shaped ? feed.data : feed);
  const dims = shaped ? feed.dims : dimsFromLength(value.dims, data.length, sizes);
  const size = dims.reduce((n, dim) => n * dim, 1);
  const agrees = value.dims.every((dim, i) => bind(dim, dims[i], sizes));
  if (dims.length !== value.dims.length || !agrees || size !== data.length) {
    throw badFeed(graph, value, `${data.length} numbers as ${showDims(dims)}`);
  }
  return { dims, data };
}

/** Records a named size at its first sight; false where it contradicts. */
function bind(dim: Dim, size: number | undefined, sizes: Map<string, number>): boolean {
  if (size === undefined) return false;
  if (typeof dim === "number") return dim === size;
  const known = sizes.get(dim);
  if (known === undefined) sizes.set(dim, size);
  return known === undefined || known === size;
}

function dimsFromLength(dims: readonly Dim[], length: number, sizes: ReadonlyMap<string, number>): number[] {
  const known = dims.map((dim) => (typeof dim === "number" ? dim : sizes.get(dim)));
  const rest = length / known.reduce<number>((n, dim) => n * (dim ?? 1), 1);
  return known.map((dim) => dim ?? rest);
}

function valueIn(environment: Environment, value: Value): RefTensor {
  if (value.data !== undefined)
    return { dims: value.data.dims, data: toFloat64(value.exact ?? value.data.data) };
  return defined(environment.get(value), `interpreter, tensor ${value.name ?? value.id}`);
}

function runNodes(graph: Graph, environment: Environment): void {
  const runBody = (body: Graph, inputs: readonly RefTensor[]): RefTensor[] => {
    const inner: Environment = new Map(environment);
    body.inputs.forEach((value, i) => inner.set(value, defined(inputs[i], "interpreter, body input")));
    runNodes(body, inner);
    return body.outputs.map(({ value }) => valueIn(inner, value));
  };
  for (const node of graph.nodes) {
    const results = opOf(node.op).evaluate(
      node.inputs.map((input) => valueIn(environment, input)),
      { attrs: node.attrs, inputs: node.inputs, outputs: node.outputs, runBody },
    );
    node.outputs.forEach((output, i) => environment.set(output, defined(results[i], node.op)));
  }
}
