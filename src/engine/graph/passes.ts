/**
 * What runs over a finished graph: the verifier, and rewrites that shorten it (equal nodes once, dead nodes and unread
 * inputs away). Rewrites change the graph in place and keep its meaning; values that went away are no longer in it.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { sameDims, showDims } from "./dims.ts";
import { Graph } from "./ir.ts";
import type { Node, Value, ValueSpec } from "./ir.ts";
import { opOf } from "./ops/registry.ts";

/** The bodies that a node carries among its attributes. */
function bodiesOf(node: Node): Graph[] {
  return node.op === "loop"
    ? Object.values(node.attrs as Record<string, unknown>).filter((x) => x instanceof Graph)
    : [];
}

/** Equal nodes (operator, inputs, attributes) become one. */
export function commonSubexpressions(graph: Graph): void {
  const stand = new Map<Value, Value>();
  mergeConstants(graph, stand);
  const seen = new Map<string, Node>();
  const kept = graph.nodes.filter((node) => {
    substitute(node, stand);
    if (bodiesOf(node).length > 0) return true;
    const key = `${node.op}|${node.inputs.map((input) => input.id).join(",")}|${JSON.stringify(node.attrs)}`;
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, node);
      return true;
    }
    node.outputs.forEach((output, i) => {
      const other = first.outputs[i];
      if (other !== undefined) stand.set(output, other);
    });
    return false;
  });
  replaceAll(graph.nodes, kept);
  replaceOutputs(graph, stand);
  for (const node of kept) for (const body of bodiesOf(node)) commonSubexpressions(body);
}

/** Small equal constants become one; large ones are not worth the key. */
function mergeConstants(graph: Graph, stand: Map<Value, Value>): void {
  const seen = new Map<string, Value>();
  for (const value of graph.constants) {
    if (value.data === undefined || value.data.data.length > 64) continue;
    const key = `${value.dtype}|${value.dims.join(",")}|${value.data.data.join(",")}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, value);
    else stand.set(value, first);
  }
}

function substitute(node: Node, stand: ReadonlyMap<Value, Value>): void {
  if (stand.size === 0) return;
  node.inputs.forEach((input, i) => {
    const other = stand.get(input);
    if (other !== undefined) node.inputs[i] = other;
  });
  for (const body of bodiesOf(node)) {
    for (const inner of body.nodes) substitute(inner, stand);
    replaceOutputs(body, stand);
  }
}

function replaceOutputs(graph: Graph, stand: ReadonlyMap<Value, Value>): void {
  graph.outputs.forEach(({ name, value }, i) => {
    const other = stand.get(value);
    if (other !== undefined) graph.outputs[i] = { name, value: other };
  });
}

function replaceAll<T>(list: T[], items: readonly T[]): void {
  list.length = 0;
  for (const item of items) list.push(item);
}

/** Nodes, constants and inputs that no output needs go; an unread input would cost time at every run. */
export function deadCode(graph: Graph): void {
  const used = new Set<Value>();
  markUsed(graph, used);
  sweep(graph, used, true);
}

function markUsed(graph: Graph, used: Set<Value>): void {
  for (const { value } of graph.outputs) used.add(value);
  for (let i = graph.nodes.length - 1; i >= 0; i--) {
    const node = graph.nodes[i];
    if (node === undefined || !node.outputs.some((output) => used.has(output))) continue;
    const bodies = bodiesOf(node);
    // A loop lists what its body once read; what the body reads now counts.
    const own = bodies.length === 0 ? node.inputs : node.inputs.filter((input) => !isCapture(node, input));
    for (const input of own) used.add(input);
    for (const body of bodies) markUsed(body, used);
  }
}

/** Inputs of a loop behind trips, condition and carried values. */
function isCapture(node: Node, input: Value): boolean {
  const { carried = 0 } = node.attrs as { readonly carried?: number };
  return node.inputs.lastIndexOf(input) >= 2 + carried && node.inputs.indexOf(input) >= 2 + carried;
}

function sweep(graph: Graph, used: ReadonlySet<Value>, root: boolean): void {
  const live = graph.nodes.filter((node) => node.outputs.some((output) => used.has(output)));
  replaceAll(graph.nodes, live);
  replaceAll(
    graph.constants,
    graph.constants.filter((value) => used.has(value)),
  );
  // A body's inputs are positional.
  if (root)
    replaceAll(
      graph.inputs,
      graph.inputs.filter((value) => used.has(value)),
    );
  for (const node of live) {
    if (bodiesOf(node).length === 0) continue;
    replaceAll(
      node.inputs,
      node.inputs.filter((input) => !isCapture(node, input) || used.has(input)),
    );
    for (const body of bodiesOf(node)) sweep(body, used, false);
  }
}

/** Both rewrites and the verifier: what every graph goes through before it is written. Safe to repeat. */
export function optimize(graph: Graph): void {
  commonSubexpressions(graph);
  deadCode(graph);
  verify(graph);
}

/**
 * Throws `graph-invalid` unless every node comes after what it reads, infers what its outputs say, names are unique
 * and every output is made in the graph.
 */
export function verify(graph: Graph): void {
  if (graph.outputs.length === 0) throw broken(graph, graph.name, "at least one output", "none");
  verifyScope(graph, new Set());
}

function broken(graph: Graph, what: string, expected: string, got: string): PlaygroundError {
  const where = `${what} in graph ${graph.name}`;
  return new PlaygroundError({
    code: "graph-invalid",
    where,
    expected,
    got,
    next: "Correct the graph's builder.",
  });
}

function verifyScope(graph: Graph, outside: ReadonlySet<Value>): void {
  const made = new Set(outside);
  const names = new Set<string>();
  const claim = (name: string): void => {
    if (names.has(name)) throw broken(graph, name, "a name used once", "a second use");
    names.add(name);
  };
  for (const value of graph.inputs) {
    claim(value.name ?? "");
    made.add(value);
  }
  for (const value of graph.constants) made.add(value);
  for (const node of graph.nodes) {
    const missing = node.inputs.findIndex((input) => !made.has(input));
    if (missing >= 0)
      throw broken(
        graph,
        node.op,
        `input ${missing} to be made before its reader`,
        "a later or foreign tensor",
      );
    for (const body of bodiesOf(node)) verifyScope(body, made);
    verifySpecs(graph, node);
    for (const output of node.outputs) made.add(output);
  }
  for (const { name, value } of graph.outputs) {
    claim(name);
    if (!made.has(value))
      throw broken(graph, `output ${name}`, "a tensor made in the graph", "a missing one");
  }
}

function verifySpecs(graph: Graph, node: Node): void {
  const specs = opOf(node.op).infer(node.inputs, node.attrs);
  const show = (list: readonly ValueSpec[]): string =>
    list.map((x) => `${x.dtype} ${showDims(x.dims)}`).join(", ");
  const agree =
    specs.length === node.outputs.length && specs.every((spec, i) => matches(spec, node.outputs[i]));
  if (!agree) throw broken(graph, node.op, `outputs ${show(specs)}`, show(node.outputs));
}

function matches(spec: ValueSpec, output: Value | undefined): boolean {
  return output?.dtype === spec.dtype && sameDims(spec.dims, output.dims);
}
