/** Writes ONNX graphs node by node, for the peers of the benches. Knows no model. Field numbers: onnx.proto3. */
import { BinaryWriter } from "@bufbuild/protobuf/wire";

export const FLOAT = 1;
export const INT8 = 3;
export const INT32 = 6;
export const INT64 = 7;

type Attribute = { readonly int: number } | { readonly ints: readonly number[] } | { readonly float: number };
type Attributes = Readonly<Record<string, Attribute>>;

/** Operators of onnxruntime's own domain. */
const MICROSOFT = new Set(["GroupQueryAttention", "SkipSimplifiedLayerNormalization"]);

/** A GraphProto as it grows. */
export class OnnxGraph {
  readonly #writer = new BinaryWriter();

  /** Gives the first output's name. */
  node(
    op: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Attributes = {},
  ): string {
    const writer = this.#writer.uint32((1 << 3) | 2).fork();
    for (const name of inputs) writer.uint32((1 << 3) | 2).string(name);
    for (const name of outputs) writer.uint32((2 << 3) | 2).string(name);
    writer.uint32((3 << 3) | 2).string(outputs[0] ?? op);
    writer.uint32((4 << 3) | 2).string(op);
    for (const [name, value] of Object.entries(attributes)) writeAttribute(writer, name, value);
    if (MICROSOFT.has(op)) writer.uint32((7 << 3) | 2).string("com.microsoft");
    writer.join();
    return outputs[0] ?? "";
  }

  tensor(name: string, type: number, dims: readonly number[], data: ArrayBufferView): string {
    const writer = this.#writer.uint32((5 << 3) | 2).fork();
    for (const dim of dims) writer.uint32(1 << 3).int64(dim);
    writer.uint32(2 << 3).int32(type);
    writer.uint32((8 << 3) | 2).string(name);
    writer.uint32((9 << 3) | 2).bytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    writer.join();
    return name;
  }

  /** int64 list. */
  ints(name: string, values: readonly number[]): string {
    return this.tensor(name, INT64, [values.length], BigInt64Array.from(values.map(BigInt)));
  }

  value(kind: "input" | "output", name: string, type: number, dims: readonly (number | string)[]): void {
    const writer = this.#writer.uint32(((kind === "input" ? 11 : 12) << 3) | 2).fork();
    writer.uint32((1 << 3) | 2).string(name);
    writer.uint32((2 << 3) | 2).fork(); // type
    writer.uint32((1 << 3) | 2).fork(); // tensor_type
    writer.uint32(1 << 3).int32(type);
    writer.uint32((2 << 3) | 2).fork(); // shape
    for (const dim of dims) {
      writer.uint32((1 << 3) | 2).fork();
      if (typeof dim === "number") writer.uint32(1 << 3).int64(dim);
      else writer.uint32((2 << 3) | 2).string(dim);
      writer.join();
    }
    writer.join().join().join().join();
  }

  model(name: string): Uint8Array {
    this.#writer.uint32((2 << 3) | 2).string(name);
    const model = new BinaryWriter();
    model.uint32(1 << 3).int64(10); // ir_version
    model.uint32((7 << 3) | 2).bytes(this.#writer.finish());
    for (const [domain, version] of [
      ["", 21],
      ["com.microsoft", 1],
    ] as const) {
      // prettier-ignore
      model.uint32((8 << 3) | 2).fork(); // opset_import
      model.uint32((1 << 3) | 2).string(domain);
      model.uint32(2 << 3).int64(version);
      model.join();
    }
    return model.finish();
  }
}

function writeAttribute(writer: BinaryWriter, name: string, value: Attribute): void {
  writer.uint32((5 << 3) | 2).fork();
  writer.uint32((1 << 3) | 2).string(name);
  if ("int" in value)
    writer.uint32(3 << 3).int64(value.int).uint32(20 << 3).int32(2); // prettier-ignore
  else if ("float" in value)
    writer.uint32((2 << 3) | 5).float(value.float).uint32(20 << 3).int32(1); // prettier-ignore
  else {
    for (const int of value.ints) writer.uint32(8 << 3).int64(int);
    writer.uint32(20 << 3).int32(7);
  }
  writer.join();
}
