/**
 * Slips in a formula that is written in graph operators, where mutating text says little: one node of the built graph
 * is left out, or is another operator of its family. What it computes then must differ from the oracle's numbers.
 */
import type { Graph, Node, OpName, Value } from "../../engine/graph/ir.ts";
import { defined } from "../../base/assert.ts";

/** One slip in a graph of a given structure; `apply` changes a freshly built one in place. */
export interface NodeMutant {
  readonly title: string;
  readonly apply: (graph: Graph) => void;
}

/** What stands where another operator was meant. */
const OTHERS: Partial<Readonly<Record<OpName, readonly OpName[]>>> = {
  add: ["sub"],
  sub: ["add"],
  div: ["mul"],
  minimum: ["maximum"],
  maximum: ["minimum"],
  greater: ["greaterOrEqual", "less"],
  reduceSum: ["reduceMean"],
};

/** Operators whose result is not their operand's, even where its shape is: leaving them out is a slip. */
const MOVES: readonly OpName[] = ["reshape", "expand", "slice"];

/** Every slip of every node, in the graph's order; nodes are named by operator and count: "mul 2". */
export function nodeMutants(graph: Graph): NodeMutant[] {
  return graph.nodes.flatMap((node, place) => {
    const count = graph.nodes.slice(0, place + 1).filter(({ op }) => op === node.op).length;
    return [...leftOut(node, place), ...otherwise(node, place)].map(({ title, apply }) => ({
      title: `${node.op} ${count}: ${title}`,
      apply,
    }));
  });
}

/** The node is one of its operands instead: a sign, a factor, a term or a bound is missing. */
function leftOut(node: Node, place: number): NodeMutant[] {
  const [y] = node.outputs;
  if (y === undefined || MOVES.includes(node.op)) return [];
  return node.inputs.flatMap((input, i) =>
    input.dtype === y.dtype && input.dims.join() === y.dims.join()
      ? [
          {
            title: `operand ${i} alone`,
            apply: (graph) => {
              replace(graph, place, i);
            },
          },
        ]
      : [],
  );
}

function replace(graph: Graph, place: number, operand: number): void {
  const node = defined(graph.nodes[place], "node");
  const [from, to] = [node.outputs[0], defined(node.inputs[operand], "operand")];
  const instead = (value: Value): Value => (value === from ? to : value);
  for (const later of graph.nodes.slice(place + 1))
    later.inputs.splice(0, Infinity, ...later.inputs.map(instead));
  graph.outputs.forEach(({ name, value }, i) => {
    graph.outputs[i] = { name, value: instead(value) };
  });
}

/** The node is another operator, or a clip lacks a bound. */
function otherwise(node: Node, place: number): NodeMutant[] {
  const change = (what: string, other: Partial<Node>): NodeMutant => ({
    title: what,
    apply: (graph) => {
      graph.nodes[place] = { ...defined(graph.nodes[place], "node"), ...other };
    },
  });
  const others = (OTHERS[node.op] ?? []).map((op) => change(`${op} instead`, { op }));
  if (node.op !== "clip") return others;
  return [
    change("no lower bound", { attrs: { ...node.attrs, min: -Infinity } }),
    change("no upper bound", { attrs: { ...node.attrs, max: Infinity } }),
  ];
}
