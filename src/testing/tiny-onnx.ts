/**
 * Writes small ONNX models for tests of the runtime, field by field, so that those tests stand apart from our
 * own graph writer. Field numbers: onnx.proto3.
 */
import { BinaryWriter } from "@bufbuild/protobuf/wire";

export interface TinyNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** Shapes of float32 values by name. */
type Values = Readonly<Record<string, readonly number[]>>;

/** The bytes of a float32 model; the order of keys is the order of inputs and outputs. */
export function tinyOnnx(nodes: readonly TinyNode[], inputs: Values, outputs: Values): Uint8Array {
  const graph = new BinaryWriter();
  for (const node of nodes) {
    const writer = graph.uint32((1 << 3) | 2).fork();
    for (const name of node.inputs) writer.uint32((1 << 3) | 2).string(name);
    for (const name of node.outputs) writer.uint32((2 << 3) | 2).string(name);
    writer
      .uint32((4 << 3) | 2)
      .string(node.op)
      .join();
  }
  graph.uint32((2 << 3) | 2).string("tiny");
  for (const [name, dims] of Object.entries(inputs)) writeValue(graph, 11, name, dims);
  for (const [name, dims] of Object.entries(outputs)) writeValue(graph, 12, name, dims);
  const model = new BinaryWriter();
  model.uint32(1 << 3).int64(8); // ir_version
  model.uint32((7 << 3) | 2).bytes(graph.finish());
  model.uint32((8 << 3) | 2).fork(); // opset_import
  model.uint32(2 << 3).int64(17);
  return model.join().finish();
}

function writeValue(graph: BinaryWriter, field: number, name: string, dims: readonly number[]): void {
  graph.uint32((field << 3) | 2).fork();
  graph.uint32((1 << 3) | 2).string(name);
  graph.uint32((2 << 3) | 2).fork(); // type
  graph.uint32((1 << 3) | 2).fork(); // tensor_type
  graph.uint32(1 << 3).int32(1); // FLOAT
  graph.uint32((2 << 3) | 2).fork(); // shape
  for (const dim of dims) {
    graph.uint32((1 << 3) | 2).fork();
    graph.uint32(1 << 3).int64(dim);
    graph.join();
  }
  graph.join().join().join().join();
}

/** y = x W + b with x [2, 3], W [3, 2], b [2]. */
export const AFFINE_DIMS = { x: [2, 3], w: [3, 2], b: [2], y: [2, 2] } as const;

export function affineOnnx(): Uint8Array {
  const nodes = [
    { op: "MatMul", inputs: ["x", "w"], outputs: ["xw"] },
    { op: "Add", inputs: ["xw", "b"], outputs: ["y"] },
  ];
  const { x, w, b, y } = AFFINE_DIMS;
  return tinyOnnx(nodes, { x, w, b }, { y });
}
