/**
 * The tensor-graph IR: typed values and the nodes between them, in topological order by construction. Knows no operator:
 * what a node means is in ops/. A graph may have a parent (a loop's body), whose values it may read.
 */
import { PlaygroundError } from "../../base/errors.ts";
import type { DType, HostTensor } from "./tensor.ts";

/** A size, or the name of one that is known only at run time (forward-only graphs), e.g. "Tp" or "Tp+1". */
export type Dim = number | string;

/** Every operator; ops/registry.ts must define each. */
export type OpName =
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "neg"
  | "exp"
  | "log"
  | "sqrt"
  | "reciprocal"
  | "abs"
  | "square"
  | "sigmoid"
  | "silu"
  | "pow"
  | "maximum"
  | "minimum"
  | "clip"
  | "stopGradient"
  | "equal"
  | "less"
  | "greater"
  | "lessOrEqual"
  | "greaterOrEqual"
  | "and"
  | "or"
  | "not"
  | "where"
  | "cast"
  | "reduceSum"
  | "reduceMean"
  | "reduceMax"
  | "cumSum"
  | "reshape"
  | "transpose"
  | "slice"
  | "concat"
  | "expand"
  | "tile"
  | "pad"
  | "gather"
  | "gatherElements"
  | "gatherRows"
  | "scatterElementsAdd"
  | "scatterNDAdd"
  | "matMul"
  | "gemm"
  | "blockLinear"
  | "dequantizeBlocks"
  | "softmax"
  | "rmsNorm"
  | "rotary"
  | "groupQueryAttention"
  | "topK"
  | "loop";

/** What a value is before anything is computed: its type, its shape and, for messages, its axes' names. */
export interface ValueSpec {
  readonly dtype: DType;
  readonly dims: readonly Dim[];
  readonly axes?: readonly string[] | undefined;
}

/** One tensor of a graph. Made by a graph or an op builder only. */
export interface Value extends ValueSpec {
  readonly graph: Graph;
  /** Unique in the whole family of graphs; grows with creation. */
  readonly id: number;
  readonly kind: "input" | "weight" | "constant" | "node";
  /** Inputs and weights only. */
  readonly name?: string;
  /** Constants only. */
  readonly data?: HostTensor;
  /** Constants only: the numbers as they were given, before rounding to `dtype`; the float64 interpreter reads these. */
  readonly exact?: ArrayLike<number> | BigInt64Array;
  readonly producer?: Node;
}

/** One application of an operator. Attributes are plain data (a loop's also hold its body). */
export interface Node {
  readonly op: OpName;
  readonly inputs: Value[];
  readonly attrs: object;
  readonly outputs: readonly Value[];
}

export interface GraphOutput {
  readonly name: string;
  readonly value: Value;
}

function invalidGraph(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "graph-invalid",
    where,
    expected,
    got,
    next: "Correct the graph's builder.",
  });
}

/** Numbers as the typed array that a dtype asks for. */
export function toTypedArray(dtype: DType, data: ArrayLike<number> | BigInt64Array): HostTensor["data"] {
  if (data instanceof BigInt64Array)
    return dtype === "int64" ? data : toTypedArray(dtype, Array.from(data, Number));
  switch (dtype) {
    case "float32":
      return data instanceof Float32Array ? data : Float32Array.from(data);
    case "int32":
      return data instanceof Int32Array ? data : Int32Array.from(data);
    case "int64":
      return BigInt64Array.from(Array.from(data, BigInt));
    case "bool":
    case "uint8":
      return data instanceof Uint8Array ? data : Uint8Array.from(data);
  }
}

/** A graph under construction. Nodes are only ever appended, so `nodes` is in topological order. */
export class Graph {
  readonly name: string;
  /** The graph whose values this one may read: a loop's body reads what surrounds it. */
  readonly parent: Graph | null;
  readonly depth: number;
  readonly inputs: Value[] = [];
  readonly constants: Value[] = [];
  readonly nodes: Node[] = [];
  readonly outputs: GraphOutput[] = [];
  readonly #names = new Set<string>();
  readonly #scalars = new Map<string, Value>();
  #created = 0;

  constructor(name: string, parent: Graph | null = null) {
    this.name = name;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
  }

  /** A tensor fed at every run. `axes` names the axes in messages. */
  input(name: string, dtype: DType, dims: readonly Dim[], axes?: readonly string[]): Value {
    return this.#addInput("input", name, { dtype, dims, axes });
  }

  /** An input that the ONNX writer turns into an initializer when its data is supplied. */
  weight(name: string, dtype: DType, dims: readonly Dim[]): Value {
    return this.#addInput("weight", name, { dtype, dims });
  }

  constant(dtype: DType, dims: readonly number[], data: ArrayLike<number> | BigInt64Array): Value {
    const size = dims.reduce((product, dim) => product * dim, 1);
    if (size !== data.length) {
      throw invalidGraph(`constant of ${this.name}`, `${size} numbers`, `${data.length} numbers`);
    }
    const tensor: HostTensor = { dtype, dims: [...dims], data: toTypedArray(dtype, data) };
    const value: Value = {
      graph: this,
      id: this.#nextId(),
      dtype,
      dims: [...dims],
      kind: "constant",
      data: tensor,
      exact: data,
    };
    this.constants.push(value);
    return value;
  }

  /** A rank-0 constant; equal ones are made once. */
  scalar(dtype: DType, number: number): Value {
    const key = `${dtype} ${Object.is(number, -0) ? "-0" : number}`;
    const known = this.#scalars.get(key);
    if (known !== undefined) return known;
    const value = this.constant(dtype, [], [number]);
    this.#scalars.set(key, value);
    return value;
  }

  output(name: string, value: Value): void {
    if (this.outputs.some((output) => output.name === name) || this.#names.has(name)) {
      throw invalidGraph(`output ${name} of ${this.name}`, "a name used once", "a second use");
    }
    this.outputs.push({ name, value });
  }

  /** Appends a node whose outputs' specs are already inferred; op builders call this, nobody else. */
  append(op: OpName, inputs: readonly Value[], attrs: object, specs: readonly ValueSpec[]): readonly Value[] {
    const outputs: Value[] = [];
    const node: Node = { op, inputs: [...inputs], attrs, outputs };
    for (const { dtype, dims, axes } of specs) {
      outputs.push({ graph: this, id: this.#nextId(), dtype, dims, axes, kind: "node", producer: node });
    }
    this.nodes.push(node);
    return outputs;
  }

  /** True when this graph may read values of `other`. */
  canRead(other: Graph): boolean {
    return other === this || (this.parent !== null && this.parent.canRead(other));
  }

  #addInput(kind: "input" | "weight", name: string, spec: ValueSpec): Value {
    if (this.#names.has(name))
      throw invalidGraph(`input ${name} of ${this.name}`, "a name used once", "a second use");
    if (spec.axes !== undefined && spec.axes.length !== spec.dims.length) {
      throw invalidGraph(
        `input ${name} of ${this.name}`,
        `${spec.dims.length} axis names`,
        `${spec.axes.length}`,
      );
    }
    this.#names.add(name);
    const value: Value = { graph: this, id: this.#nextId(), ...spec, dims: [...spec.dims], kind, name };
    this.inputs.push(value);
    return value;
  }

  #nextId(): number {
    if (this.parent !== null) return this.parent.#nextId();
    return this.#created++;
  }
}
