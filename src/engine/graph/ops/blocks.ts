/**
 * Matrices in blocks of 32 integers with a scale each (block-tensor.ts): the product with one, and its numbers.
 * onnxruntime multiplies by blocks (com.microsoft MatMulNBits) but has no gradient of that product: it goes through the numbers,
 * which are made by plain arithmetic, since that runs on every provider and was there the fastest of its operators
 * (GatherBlockQuantized took 6 times as long on the CPU). Blocks are frozen weights: no gradient leads into them.
 */
import { dimAt, invalid, sameDims } from "../dims.ts";
import type { Value } from "../ir.ts";
import { emitOne, type OnnxEmitter, type OpDef, type RefTensor, requireDtype, type Ternary } from "../op.ts";
import type { Binary } from "../op.ts";
import { read, tabulate } from "../reference.ts";

/** Values of a block. */
const SIZE = 32;
/** By bits. */
const BLOCK_BYTES: Readonly<Record<number, number>> = { 4: 16, 8: 32 };
const FLOAT32 = 1;

export interface BlockAttrs {
  readonly bits: 4 | 8;
  /** Values in a row: K. */
  readonly columns: number;
}

/** `graph-invalid` unless data is uint8 [rows, blocks, 32 * bits / 8] and scales float32 [rows, blocks]. */
function checkBlocks(op: string, [data, scales]: Binary, { bits, columns }: BlockAttrs): void {
  requireDtype(op, [data], "uint8");
  requireDtype(op, [scales], "float32");
  const blocks = Math.ceil(columns / SIZE);
  const dims = [dimAt(data, 0), blocks, BLOCK_BYTES[bits] ?? NaN];
  if (!sameDims(data.dims, dims) || !sameDims(scales.dims, dims.slice(0, 2))) {
    invalid(op, [data, scales], `rows of ${blocks} blocks of 4 or 8 bits (here ${bits}), and their scales`);
  }
}

/** Value k of a row, as the runtime computes it. */
function valueAt(data: RefTensor, scales: RefTensor, { bits }: BlockAttrs) {
  return (row: number, k: number): number => {
    const [block, within] = [Math.floor(k / SIZE), k % SIZE];
    const byte = read(data, [row, block, bits === 8 ? within : within >> 1]);
    const q = bits === 8 ? byte : (byte >> (4 * (within & 1))) & 15;
    return (q - 2 ** (bits - 1)) * read(scales, [row, block]);
  };
}

export const dequantizeBlocksOp: OpDef<BlockAttrs, Binary> = {
  name: "dequantizeBlocks",
  infer: (inputs, attrs) => {
    checkBlocks("dequantizeBlocks", inputs, attrs);
    return [{ dtype: "float32", dims: [dimAt(inputs[0], 0), attrs.columns] }];
  },
  evaluate: ([data, scales], { attrs }) => {
    const at = valueAt(data, scales, attrs);
    return [tabulate([data.dims[0] ?? 0, attrs.columns], ([row = 0, k = 0]) => at(row, k))];
  },
  lower: ({ from: [data, scales], out, attrs: { bits, columns }, onnx }) => {
    const blocks = Math.ceil(columns / SIZE);
    const bytes = apply(onnx, "Cast", [data], { to: FLOAT32 });
    const q = bits === 8 ? bytes : nibbles(onnx, bytes, blocks); // [rows, blocks, 32]
    const centred = apply(onnx, "Sub", [q, onnx.scalar("float32", 2 ** (bits - 1))]);
    const column = apply(onnx, "Reshape", [scales, onnx.ints([-1, blocks, 1])]);
    const values = apply(onnx, "Mul", [centred, column]);
    const width = blocks * SIZE;
    const rows = width === columns ? out : onnx.fresh();
    onnx.node("Reshape", [values, onnx.ints([-1, width])], [rows]);
    if (rows !== out) onnx.node("Slice", [rows, onnx.ints([0]), onnx.ints([columns]), onnx.ints([1])], [out]);
  },
};

/** Bytes as floats [rows, blocks, 16] -> their halves [rows, blocks, 32], the lower first. */
function nibbles(onnx: OnnxEmitter, bytes: string, blocks: number): string {
  const high = apply(onnx, "Floor", [apply(onnx, "Mul", [bytes, onnx.scalar("float32", 1 / 16)])]);
  const low = apply(onnx, "Sub", [bytes, apply(onnx, "Mul", [high, onnx.scalar("float32", 16)])]);
  const pair = onnx.ints([-1, blocks, SIZE / 2, 1]);
  const halves = [low, high].map((half) => apply(onnx, "Reshape", [half, pair]));
  return apply(onnx, "Reshape", [apply(onnx, "Concat", halves, { axis: 3 }), onnx.ints([-1, blocks, SIZE])]);
}

/** A node with one output; gives its name. */
function apply(
  onnx: OnnxEmitter,
  type: string,
  inputs: readonly string[],
  attrs: Readonly<Record<string, number>> = {},
): string {
  const out = onnx.fresh();
  const encoded = Object.fromEntries(Object.entries(attrs).map(([name, int]) => [name, { int }]));
  onnx.node(type, inputs, [out], { attrs: encoded });
  return out;
}

export const blockLinearOp: OpDef<BlockAttrs, Ternary> = {
  name: "blockLinear",
  infer: (inputs, attrs) => {
    const [x, data, scales] = inputs;
    requireDtype("blockLinear", [x], "float32");
    checkBlocks("blockLinear", [data, scales], attrs);
    if (x.dims.length !== 2 || dimAt(x, 1) !== attrs.columns) {
      invalid("blockLinear", inputs, `x [rows, ${attrs.columns}]`);
    }
    return [{ dtype: "float32", dims: [dimAt(x, 0), dimAt(data, 0)] }];
  },
  vjp: ({ inputs: [, data, scales], attrs: { bits, columns }, g, build }) => [
    build.matMul(g, dequantizeBlocks(data, scales, { bits, columns })),
    null,
    null,
  ],
  evaluate: ([x, data, scales], { attrs }) => {
    const at = valueAt(data, scales, attrs);
    return [
      tabulate([x.dims[0] ?? 0, data.dims[0] ?? 0], ([row = 0, out = 0]) => {
        let sum = 0;
        for (let k = 0; k < attrs.columns; k++) sum += read(x, [row, k]) * at(out, k);
        return sum;
      }),
    ];
  },
  lower: ({ inputs: [, data], from, to, attrs: { bits, columns }, onnx }) => {
    const attrs = { K: columns, N: Number(dimAt(data, 0)), bits, block_size: SIZE };
    const encoded = Object.fromEntries(Object.entries(attrs).map(([name, int]) => [name, { int }]));
    onnx.node("MatMulNBits", from, to, { attrs: encoded, domain: "com.microsoft" });
  },
};

/** The numbers of rows in blocks: data uint8 [M, ceil(K/32), 32*bits/8] and scales [M, ceil(K/32)] -> [M, K]. */
export function dequantizeBlocks(data: Value, scales: Value, { bits, columns }: BlockAttrs): Value {
  return emitOne(dequantizeBlocksOp, [data, scales], { bits, columns });
}

/** x [M, K] @ w^T for w [N, K] in blocks: data uint8 [N, ceil(K/32), 32*bits/8], scales [N, ceil(K/32)] -> [M, N]. */
export function blockLinear(x: Value, data: Value, scales: Value, { bits, columns }: BlockAttrs): Value {
  return emitOne(blockLinearOp, [x, data, scales], { bits, columns });
}
