/**
 * Reverse-mode differentiation: adds the nodes of a gradient to the graph they are the gradient of. One walk forward
 * (what depends on the variables) and one back; rules build only the cotangents that lead to a variable.
 */
import { defined } from "../../base/assert.ts";
import { invalid, isStatic, sameDims } from "./dims.ts";
import type { Graph, Node, Value } from "./ir.ts";
import type { Builders } from "./op.ts";
import { add, div, mul, neg, pow, reciprocal, sigmoid, sqrt, square, sub } from "./ops/elementwise.ts";
import { gather, gatherElements, scatterElementsAdd, scatterNDAdd } from "./ops/gather.ts";
import { gemm, linear, matMul } from "./ops/linear.ts";
import { cast, equal, greater, less, where } from "./ops/logic.ts";
import { rotary } from "./ops/nn.ts";
import { cumSum, reduceMean, reduceSum, sumTo } from "./ops/reduce.ts";
import { opOf } from "./ops/registry.ts";
import { expand, pad, reshape, slice, transpose, zeros } from "./ops/shape.ts";

const BUILDERS: Builders = {
  ...{ add, div, mul, neg, pow, reciprocal, sigmoid, sqrt, square, sub },
  ...{ cast, equal, greater, less, where },
  ...{ cumSum, reduceMean, reduceSum, sumTo },
  ...{ expand, pad, reshape, slice, transpose, zeros },
  ...{ gather, gatherElements, scatterElementsAdd, scatterNDAdd },
  ...{ gemm, linear, matMul, rotary },
};

/**
 * d loss / d w for each w of `wrt`, each of w's shape.
 * @throws PlaygroundError `graph-invalid` when a w does not reach the loss, or only through an operator without a rule.
 */
export function gradients(loss: Value, wrt: readonly Value[]): Value[] {
  if (loss.dtype !== "float32" || !isStatic(loss.dims) || loss.dims.some((dim) => dim !== 1)) {
    invalid("gradients", [loss], "a loss that is one float32 number");
  }
  return vectorJacobian([loss], [expand(loss.graph.scalar("float32", 1), loss.dims)], wrt);
}

/** Sum over outputs of (d output / d w)^T cotangent, for each w: a layer's backward pass, given what comes from above. */
export function vectorJacobian(
  outputs: readonly Value[],
  cotangents: readonly Value[],
  wrt: readonly Value[],
): Value[] {
  const graph = defined(outputs[0], "vectorJacobian").graph;
  const nodes = graph.nodes.slice();
  const dependent = dependents(nodes, wrt);
  const sums = new Map<Value, Value>();
  outputs.forEach((output, i) => {
    const cotangent = defined(cotangents[i], "vectorJacobian");
    if (!sameDims(cotangent.dims, output.dims)) invalid("vectorJacobian", [output, cotangent], "one shape");
    if (dependent.has(output)) accumulate(sums, output, cotangent);
  });
  const keep = new Set(wrt);
  for (let i = nodes.length - 1; i >= 0; i--)
    back(defined(nodes[i], "vectorJacobian"), { dependent, sums, keep });
  return wrt.map((value) => sums.get(value) ?? unreached(graph, value));
}

function dependents(nodes: readonly Node[], wrt: readonly Value[]): Set<Value> {
  const dependent = new Set(wrt);
  for (const node of nodes) {
    if (node.op === "stopGradient" || !node.inputs.some((input) => dependent.has(input))) continue;
    for (const output of node.outputs) if (output.dtype === "float32") dependent.add(output);
  }
  return dependent;
}

function accumulate(sums: Map<Value, Value>, value: Value, cotangent: Value): void {
  const known = sums.get(value);
  sums.set(value, known === undefined ? cotangent : add(known, cotangent));
}

interface Sweep {
  readonly dependent: ReadonlySet<Value>;
  readonly sums: Map<Value, Value>;
  /** Variables, whose sums are the result even where a node makes them. */
  readonly keep: ReadonlySet<Value>;
}

function back(node: Node, { dependent, sums, keep }: Sweep): void {
  const reached = node.outputs.find((output) => sums.has(output));
  const needs = node.inputs.map((input) => dependent.has(input));
  if (reached === undefined || !needs.includes(true)) return;
  const g = defined(sums.get(reached), node.op);
  if (!keep.has(reached)) sums.delete(reached);
  const def = opOf(node.op);
  if (def.vjp === undefined)
    return invalid(node.op, node.inputs, "a differentiable operator on the way to the loss");
  const values = [...node.inputs, ...node.outputs];
  if (!values.every((value) => isStatic(value.dims))) {
    return invalid(node.op, values, "sizes that are numbers where gradients pass");
  }
  const y = defined(node.outputs[0], node.op);
  const results = def.vjp({ inputs: node.inputs, attrs: node.attrs, y, g, needs, build: BUILDERS });
  node.inputs.forEach((input, i) => {
    const cotangent = results[i];
    if (needs[i] === true && cotangent !== null && cotangent !== undefined)
      accumulate(sums, input, cotangent);
  });
}

function unreached(graph: Graph, value: Value): never {
  return invalid("gradients", [value], `a tensor on which the loss of graph ${graph.name} depends`);
}
