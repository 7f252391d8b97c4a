/**
 * A graph as an ONNX model (opset 21 and com.microsoft 1), written in protobuf's wire format through protobuf's own
 * writer. Field numbers: onnx/onnx.proto, IR version 10. Names of inner tensors are "#" and the value's id.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import { sameDims, showDims } from "./dims.ts";
import { toTypedArray } from "./ir.ts";
import type { Graph, Value, ValueSpec } from "./ir.ts";
import type { OnnxAttribute, OnnxEmitter } from "./op.ts";
import { opOf } from "./ops/registry.ts";
import { optimize } from "./passes.ts";
import type { DType, HostTensor } from "./tensor.ts";

const ELEMENT_TYPE: Readonly<Record<DType, number>> = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9 };
const IR_VERSION = 10;
const OPSETS: readonly (readonly [domain: string, version: number])[] = [
  ["", 21],
  ["com.microsoft", 1],
];

/** Writes a length-delimited field. */
function message(writer: BinaryWriter, field: number, bytes: Uint8Array): void {
  writer.tag(field, WireType.LengthDelimited).bytes(bytes);
}
function text(writer: BinaryWriter, field: number, value: string): void {
  writer.tag(field, WireType.LengthDelimited).string(value);
}
function integer(writer: BinaryWriter, field: number, value: number): void {
  writer.tag(field, WireType.Varint).int64(value);
}

/** Bytes of weights that stand beside a model, by the name under which it asks for them: views, no copies. */
export type ExternalData = Map<string, Uint8Array>;

/** Below this a weight is in the model itself. */
const SMALLEST_EXTERNAL = 1024;
const EXTERNAL = 1;

/** TensorProto; with `external` a large one's bytes stand there. */
function encodeTensor(
  name: string,
  { dtype, dims, data }: HostTensor,
  external: ExternalData | null = null,
): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const writer = new BinaryWriter();
  for (const dim of dims) integer(writer, 1, dim);
  integer(writer, 2, ELEMENT_TYPE[dtype]);
  text(writer, 8, name);
  if (external === null || bytes.length < SMALLEST_EXTERNAL) {
    message(writer, 9, bytes);
    return writer.finish();
  }
  const location = `weight-${external.size}`;
  external.set(location, bytes);
  const entries = { location, offset: "0", length: String(bytes.length) };
  for (const [key, value] of Object.entries(entries)) {
    const entry = new BinaryWriter();
    text(entry, 1, key);
    text(entry, 2, value);
    message(writer, 13, entry.finish());
  }
  integer(writer, 14, EXTERNAL);
  return writer.finish();
}

/** ValueInfoProto. A derived size, e.g. "T+1", is written as unknown: ONNX compares names only. */
function encodeInfo(name: string, { dtype, dims }: ValueSpec, plain: boolean): Uint8Array {
  const shape = new BinaryWriter();
  for (const dim of dims) {
    const size = new BinaryWriter();
    if (typeof dim === "number") integer(size, 1, dim);
    else if (plain && /^\w+$/.test(dim)) text(size, 2, dim);
    message(shape, 1, size.finish());
  }
  const tensor = new BinaryWriter();
  integer(tensor, 1, ELEMENT_TYPE[dtype]);
  message(tensor, 2, shape.finish());
  const type = new BinaryWriter();
  message(type, 1, tensor.finish());
  const info = new BinaryWriter();
  text(info, 1, name);
  message(info, 2, type.finish());
  return info.finish();
}

/** AttributeProto. */
function encodeAttribute(name: string, attribute: OnnxAttribute): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, 1, name);
  if ("int" in attribute) {
    integer(writer, 3, attribute.int);
    integer(writer, 20, 2);
  } else if ("float" in attribute) {
    writer.tag(2, WireType.Bit32).float(attribute.float);
    integer(writer, 20, 1);
  } else if ("string" in attribute) {
    text(writer, 4, attribute.string);
    integer(writer, 20, 3);
  } else if ("ints" in attribute) {
    for (const value of attribute.ints) integer(writer, 8, value);
    integer(writer, 20, 7);
  } else {
    message(writer, 6, attribute.graph);
    integer(writer, 20, 5);
  }
  return writer.finish();
}

/** Tensor names of one model, shared between its graph and the bodies in it. */
class TensorNames {
  /** Values that carry an output's name instead of "#id". */
  readonly #given = new Map<Value, string>();
  #created = 0;

  fresh(): string {
    return `#t${this.#created++}`;
  }

  /** False where the value has a name already. */
  give(value: Value, name: string): boolean {
    if (this.#given.has(value)) return false;
    this.#given.set(value, name);
    return true;
  }

  of(value: Value): string {
    if (value.name !== undefined && value.graph.parent === null) return value.name;
    return this.#given.get(value) ?? `#${value.id}`;
  }
}

interface WrittenWeights {
  readonly weights: ReadonlyMap<string, HostTensor>;
  readonly external: ExternalData | null;
}

class GraphWriter implements OnnxEmitter {
  readonly #graph: Graph;
  readonly #names: TensorNames;
  readonly #weights: ReadonlyMap<string, HostTensor>;
  readonly #external: ExternalData | null;
  readonly #writer = new BinaryWriter();
  readonly #initializers: Uint8Array[] = [];
  readonly #known = new Map<string, string>();

  constructor(graph: Graph, names: TensorNames, { weights, external }: WrittenWeights) {
    this.#graph = graph;
    this.#names = names;
    this.#weights = weights;
    this.#external = external;
  }

  /** GraphProto. */
  encode(): Uint8Array {
    const graph = this.#graph;
    const isRoot = graph.parent === null;
    const outputs = graph.outputs.map(({ name, value }) => ({ name: isRoot ? name : this.fresh(), value }));
    // What cannot carry its output's name (an input, a second name for one value) gets an Identity.
    const copies = outputs.filter(
      ({ name, value }) => value.kind !== "node" || value.graph !== graph || !this.#names.give(value, name),
    );
    for (const value of graph.constants) {
      this.#initializers.push(encodeTensor(this.#names.of(value), defined(value.data, "onnx")));
    }
    for (const node of graph.nodes) {
      const to = node.outputs.map((output) => this.#names.of(output));
      const from = node.inputs.map((input) => this.#names.of(input));
      const { inputs, attrs } = node;
      opOf(node.op).lower({ inputs, attrs, from, to, out: to[0] ?? "", outputs: node.outputs, onnx: this });
    }
    for (const { name, value } of copies) this.node("Identity", [this.#names.of(value)], [name]);
    text(this.#writer, 2, graph.name);
    this.#encodeInputs(isRoot);
    for (const tensor of this.#initializers) message(this.#writer, 5, tensor);
    for (const { name, value } of outputs) message(this.#writer, 12, encodeInfo(name, value, isRoot));
    return this.#writer.finish();
  }

  #encodeInputs(isRoot: boolean): void {
    for (const value of this.#graph.inputs) {
      const data = value.kind === "weight" ? this.#weights.get(value.name ?? "") : undefined;
      if (data === undefined) message(this.#writer, 11, encodeInfo(this.#names.of(value), value, isRoot));
      else this.#initializers.push(this.#encodeWeight(value, data));
    }
  }

  #encodeWeight(value: Value, data: HostTensor): Uint8Array {
    const name = value.name ?? "";
    if (data.dtype !== value.dtype || !sameDims(data.dims, value.dims)) {
      throw new PlaygroundError({
        code: "graph-invalid",
        where: `weight ${name} of graph ${this.#graph.name}`,
        expected: `${value.dtype} ${showDims(value.dims)}`,
        got: `${data.dtype} ${showDims(data.dims)}`,
        next: "Supply the weight as the graph declares it.",
      });
    }
    return encodeTensor(name, data, this.#external);
  }

  node(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    more: { readonly attrs?: Readonly<Record<string, OnnxAttribute>>; readonly domain?: string } = {},
  ): void {
    const writer = new BinaryWriter();
    for (const name of inputs) text(writer, 1, name);
    for (const name of outputs) text(writer, 2, name);
    text(writer, 3, outputs[0] ?? type);
    text(writer, 4, type);
    for (const [name, attribute] of Object.entries(more.attrs ?? {}))
      message(writer, 5, encodeAttribute(name, attribute));
    if (more.domain !== undefined) text(writer, 7, more.domain);
    message(this.#writer, 1, writer.finish());
  }

  ints(values: readonly number[]): string {
    return this.#constant("int64", [values.length], values);
  }

  scalar(dtype: DType, value: number): string {
    return this.#constant(dtype, [], [value]);
  }

  fresh(): string {
    return this.#names.fresh();
  }

  body(graph: Graph): Uint8Array {
    const written = { weights: this.#weights, external: this.#external };
    return new GraphWriter(graph, this.#names, written).encode();
  }

  #constant(dtype: DType, dims: readonly number[], values: readonly number[]): string {
    const key = `${dtype}|${dims.length}|${values.join(",")}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.fresh();
    this.#known.set(key, name);
    this.#initializers.push(encodeTensor(name, { dtype, dims, data: toTypedArray(dtype, values) }));
    return name;
  }
}

/**
 * The model's bytes, after `optimize(graph)`: what a run must be fed is then `graph.inputs`, less the weights given
 * here, which become initializers (packed ahead of time on the CPU side). Other weights stay inputs. Where `external` is
 * given, the bytes of large weights are put there instead of being copied into the model.
 */
export function toOnnx(
  graph: Graph,
  weights: ReadonlyMap<string, HostTensor> = new Map(),
  external: ExternalData | null = null,
): Uint8Array {
  optimize(graph);
  const writer = new BinaryWriter();
  integer(writer, 1, IR_VERSION);
  text(writer, 2, "rubric-playground");
  message(writer, 7, new GraphWriter(graph, new TensorNames(), { weights, external }).encode());
  for (const [domain, version] of OPSETS) {
    const opset = new BinaryWriter();
    text(opset, 1, domain);
    integer(opset, 2, version);
    message(writer, 8, opset.finish());
  }
  return writer.finish();
}
