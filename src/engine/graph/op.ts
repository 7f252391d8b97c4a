/**
 * What an operator is: shape inference, gradient rule, float64 reference and ONNX lowering in one definition, and the
 * one way to apply it. Gradient rules build through `Builders`, so that op files need not import each other.
 */
import { defined } from "../../base/assert.ts";
import { invalid } from "./dims.ts";
import type { Dim, Graph, OpName, Value, ValueSpec } from "./ir.ts";
import type { DType } from "./tensor.ts";

export type Unary = readonly [Value];
export type Binary = readonly [Value, Value];
export type Ternary = readonly [Value, Value, Value];
/** A tensor, or a number that becomes a scalar of the other operand's type. */
export type Operand = Value | number;

/** A tensor of the float64 reference; integers and booleans are float64 too. Row-major. */
export interface RefTensor {
  readonly dims: readonly number[];
  readonly data: Float64Array;
}

/** An ONNX attribute by its kind; `graph` is an encoded GraphProto. */
export type OnnxAttribute =
  | { readonly int: number }
  | { readonly float: number }
  | { readonly ints: readonly number[] }
  | { readonly string: string }
  | { readonly graph: Uint8Array };

/** What a lowering writes to; tensors are ONNX names. */
export interface OnnxEmitter {
  node(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    more?: { readonly attrs?: Readonly<Record<string, OnnxAttribute>>; readonly domain?: string },
  ): void;
  /** An int64 vector (shapes, axes, pads) as an initializer. */
  ints(values: readonly number[]): string;
  scalar(dtype: DType, value: number): string;
  /** A name for an intermediate result. */
  fresh(): string;
  /** A loop's body, encoded. */
  body(graph: Graph): Uint8Array;
}

export interface LowerContext<A, I> {
  readonly inputs: I;
  readonly attrs: A;
  readonly from: { readonly [K in keyof I]: string };
  /** Names of the outputs. */
  readonly to: readonly string[];
  /** Name of the first output. */
  readonly out: string;
  readonly outputs: readonly Value[];
  readonly onnx: OnnxEmitter;
}

export interface VjpContext<A, I> {
  readonly inputs: I;
  readonly attrs: A;
  /** The node's first output and its cotangent. Differentiable ops have one output. */
  readonly y: Value;
  readonly g: Value;
  /** Which inputs' cotangents are wanted; a rule should build no others. */
  readonly needs: { readonly [K in keyof I]: boolean };
  readonly build: Builders;
}

export interface EvaluateContext<A, I> {
  readonly attrs: A;
  /** The node's own values, for sizes that only the graph knows. */
  readonly inputs: I;
  readonly outputs: readonly Value[];
  /** Runs a loop's body on its inputs in order. */
  runBody(body: Graph, inputs: readonly RefTensor[]): RefTensor[];
}

/** One operator. Methods, so that a definition for two inputs is also a definition. */
export interface OpDef<A extends object = object, I extends readonly Value[] = readonly Value[]> {
  readonly name: OpName;
  /** Specs of the outputs; `graph-invalid` on misuse. */
  infer(inputs: I, attrs: A): readonly ValueSpec[];
  /** Cotangents of the inputs; null where there is none (integers, zero gradient). Absent: not differentiable. */
  vjp?(context: VjpContext<A, I>): readonly (Value | null)[];
  evaluate(inputs: { readonly [K in keyof I]: RefTensor }, context: EvaluateContext<A, I>): RefTensor[];
  lower(context: LowerContext<A, I>): void;
}

/** What gradient rules build with; autodiff.ts supplies it. */
export interface Builders {
  add(a: Operand, b: Operand): Value;
  sub(a: Operand, b: Operand): Value;
  mul(a: Operand, b: Operand): Value;
  div(a: Operand, b: Operand): Value;
  neg(x: Value): Value;
  square(x: Value): Value;
  sqrt(x: Value): Value;
  reciprocal(x: Value): Value;
  sigmoid(x: Value): Value;
  pow(x: Value, exponent: number): Value;
  equal(a: Operand, b: Operand): Value;
  less(a: Operand, b: Operand): Value;
  greater(a: Operand, b: Operand): Value;
  where(condition: Value, a: Operand, b: Operand): Value;
  cast(x: Value, dtype: DType): Value;
  reduceSum(x: Value, axes: readonly number[], keepDims?: boolean): Value;
  reduceMean(x: Value, axes: readonly number[], keepDims?: boolean): Value;
  /** Sums over the axes that broadcasting added to get from `dims` to x. */
  sumTo(x: Value, dims: readonly Dim[]): Value;
  cumSum(
    x: Value,
    axis: number,
    options?: { readonly exclusive?: boolean; readonly reverse?: boolean },
  ): Value;
  reshape(x: Value, dims: readonly Dim[]): Value;
  transpose(x: Value, perm: readonly number[]): Value;
  slice(x: Value, axis: number, start: number, end: number, step?: number): Value;
  pad: (x: Value, axis: number, ...amounts: readonly [before: number, after: number]) => Value;
  expand(x: Value, dims: readonly Dim[]): Value;
  zeros(graph: Graph, dims: readonly number[]): Value;
  gather(x: Value, indices: Value, axis: number): Value;
  gatherElements(x: Value, indices: Value, axis: number): Value;
  scatterElementsAdd(x: Value, indices: Value, updates: Value, axis: number): Value;
  scatterNDAdd(x: Value, indices: Value, updates: Value): Value;
  matMul(a: Value, b: Value): Value;
  gemm(a: Value, b: Value, options?: { readonly transA?: boolean; readonly transB?: boolean }): Value;
  linear(x: Value, w: Value): Value;
  rotary(x: Value, positions: Value, cos: Value, sin: Value): Value;
}

/** Applies an operator, in the innermost graph among its inputs'. */
export function emit<A extends object, I extends readonly Value[]>(
  def: OpDef<A, I>,
  inputs: I,
  attrs: A,
): readonly Value[] {
  const first = defined(inputs[0], def.name);
  let graph = first.graph;
  for (const value of inputs) if (value.graph.depth > graph.depth) graph = value.graph;
  for (const value of inputs) {
    if (!graph.canRead(value.graph)) invalid(def.name, inputs, `tensors that graph ${graph.name} can read`);
  }
  return graph.append(def.name, inputs, attrs, def.infer(inputs, attrs));
}

/** `emit` for an operator with one output. */
export function emitOne<A extends object, I extends readonly Value[]>(
  def: OpDef<A, I>,
  inputs: I,
  attrs: A,
): Value {
  return defined(emit(def, inputs, attrs)[0], def.name);
}

/** Both operands as values; a number becomes a scalar of the other's type. */
export function operands(op: string, a: Operand, b: Operand): Binary {
  if (typeof a !== "number") return [a, typeof b === "number" ? a.graph.scalar(a.dtype, b) : b];
  if (typeof b !== "number") return [b.graph.scalar(b.dtype, a), b];
  return invalid(op, [], "at least one tensor");
}

/** `graph-invalid` unless every tensor is of one of the types. */
export function requireDtype(op: string, inputs: readonly Value[], ...dtypes: readonly DType[]): void {
  if (!inputs.every((value) => dtypes.includes(value.dtype))) invalid(op, inputs, dtypes.join(" or "));
}
