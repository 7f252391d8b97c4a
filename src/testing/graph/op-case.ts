/** One case of an operator and what every case is held to: an expectation worked out by hand or by plain loops. */
import { Graph } from "../../engine/graph/ir.ts";
import type { OpName, Value } from "../../engine/graph/ir.ts";
import { gradients } from "../../engine/graph/autodiff.ts";
import { mul } from "../../engine/graph/ops/elementwise.ts";
import { reduceSum } from "../../engine/graph/ops/reduce.ts";
import type { DType, HostTensor } from "../../engine/graph/tensor.ts";
import { sizeOf } from "../../engine/graph/tensor.ts";
import { toTypedArray } from "../../engine/graph/ir.ts";

export interface CaseInput {
  readonly dims: readonly number[];
  readonly data: readonly number[];
  /** float32 where absent. */
  readonly dtype?: DType;
  /** The graph sees these sizes instead, some of them names. */
  readonly named?: readonly (number | string)[];
  /** A float input that gets no gradient by design (tables). */
  readonly constant?: true;
}

export interface CaseOutput {
  readonly dims: readonly number[];
  /** NaN: the operator may leave anything there. */
  readonly data: readonly number[];
}

export interface OpCase {
  readonly op: OpName;
  readonly title: string;
  readonly inputs: readonly CaseInput[];
  build(inputs: readonly Value[], graph: Graph): readonly Value[];
  readonly expected: readonly CaseOutput[];
  /** False where no gradient exists through the case: its outputs are integers, or its op is forward only. */
  readonly differentiable: boolean;
}

/** Numbers between -2 and 2 that repeat by seed and never come within 0.01 of an integer or half. */
export function numbers(count: number, seed = 1): number[] {
  return Array.from({ length: count }, (_, i) => {
    const x = Math.sin((i + 1) * 12.9898 + seed * 78.233) * 2;
    return Math.abs(x * 2 - Math.round(x * 2)) < 0.02 ? x + 0.05 : x;
  });
}

export function floats(dims: readonly number[], seed = 1): CaseInput {
  return { dims, data: numbers(sizeOf(dims), seed) };
}

export function positives(dims: readonly number[], seed = 1): CaseInput {
  return { dims, data: numbers(sizeOf(dims), seed).map((x) => Math.abs(x) + 0.3) };
}

export function ints(dims: readonly number[], data: readonly number[], dtype: DType = "int32"): CaseInput {
  return { dims, data, dtype };
}

/** `x0`, `x1` ... in the graph. */
export function caseGraph(opCase: OpCase): { graph: Graph; inputs: Value[]; outputs: readonly Value[] } {
  const graph = new Graph(opCase.op);
  const inputs = opCase.inputs.map(({ dims, dtype = "float32", named }, i) =>
    graph.input(`x${i}`, dtype, named ?? dims),
  );
  const outputs = opCase.build(inputs, graph);
  outputs.forEach((value, i) => {
    graph.output(`y${i}`, value);
  });
  return { graph, inputs, outputs };
}

/** The inputs that a gradient check differentiates by. */
export function variables(opCase: OpCase, inputs: readonly Value[]): Value[] {
  return inputs.filter((value, i) => value.dtype === "float32" && opCase.inputs[i]?.constant !== true);
}

/** The case with a loss (outputs against fixed weights) and the gradient of every variable: `loss`, `d0`, `d1` ... */
export function gradientGraph(opCase: OpCase): { graph: Graph; wrt: Value[] } {
  const { graph, inputs, outputs } = caseGraph(opCase);
  const [y] = outputs;
  if (y === undefined) throw new Error(`${opCase.title}: no output`);
  const dims = y.dims.map(Number);
  const weighted = mul(y, graph.constant("float32", dims, Float32Array.from(numbers(sizeOf(dims), 9))));
  const loss = reduceSum(weighted, [...dims.keys()]);
  graph.output("loss", loss);
  const wrt = variables(opCase, inputs);
  gradients(loss, wrt).forEach((gradient, i) => {
    graph.output(`d${i}`, gradient);
  });
  return { graph, wrt };
}

/** The case's feeds as float64 feeds of the interpreter. */
export function refFeeds(opCase: OpCase): Record<string, { dims: readonly number[]; data: number[] }> {
  return Object.fromEntries(opCase.inputs.map(({ dims, data }, i) => [`x${i}`, { dims, data: [...data] }]));
}

/** The case's feeds as tensors, for those inputs that the graph still has. */
export function hostFeeds(opCase: OpCase, graph: Graph): Record<string, HostTensor> {
  const kept = new Set(graph.inputs.map((value) => value.name));
  return Object.fromEntries(
    opCase.inputs
      .map(({ dims, data, dtype = "float32" }, i): [string, HostTensor] => [
        `x${i}`,
        { dtype, dims, data: toTypedArray(dtype, data) },
      ])
      .filter(([name]) => kept.has(name)),
  );
}
