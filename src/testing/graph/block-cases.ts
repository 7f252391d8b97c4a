/** Cases of matrices in blocks, against plain loops over the blocks' own numbers. */
import type { Value } from "../../engine/graph/ir.ts";
import { blockLinear, dequantizeBlocks } from "../../engine/graph/ops/blocks.ts";
import { type CaseInput, floats, ints, type OpCase } from "./op-case.ts";

interface Blocks {
  readonly bits: 4 | 8;
  readonly rows: number;
  readonly columns: number;
  readonly inputs: readonly [data: CaseInput, scales: CaseInput];
  readonly at: (row: number, k: number) => number;
}

/** Integers of every size, and scales of both signs that keep values small, worked out the other way round: integers first, then their bytes. */
function blocks(bits: 4 | 8, rows: number, columns: number): Blocks {
  const width = Math.ceil(columns / 32);
  const most = 2 ** bits;
  const q = Array.from({ length: rows * width * 32 }, (_, i) => (i * 7 + (i >> 4) * 3) % most);
  const pairs = q.filter((_, i) => i % 2 === 0).map((low, i) => low + 16 * (q[2 * i + 1] ?? 0));
  const plain = floats([rows, width], 31);
  const scales = { ...plain, data: plain.data.map((scale) => scale / most) };
  const bytes = { 4: pairs, 8: q };
  return {
    ...{ bits, rows, columns },
    inputs: [ints([rows, width, 4 * bits], bytes[bits], "uint8"), { ...scales, constant: true }],
    at: (row, k) => {
      const block = row * width + Math.floor(k / 32);
      return ((q[block * 32 + (k % 32)] ?? NaN) - most / 2) * (scales.data[block] ?? NaN);
    },
  };
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

function values({ bits, rows, columns, inputs, at }: Blocks, named?: string): OpCase {
  const [data, scales] = inputs;
  const as = ({ dims, ...input }: CaseInput): CaseInput =>
    named === undefined ? { dims, ...input } : { dims, ...input, named: [named, ...dims.slice(1)] };
  return {
    op: "dequantizeBlocks",
    title: `numbers of ${bits}-bit blocks [${named ?? rows}, ${columns}]`,
    inputs: [as(data), as(scales)],
    build: ([d, s]) => [dequantizeBlocks(d as Value, s as Value, { bits, columns })],
    expected: [
      { dims: [rows, columns], data: range(rows).flatMap((row) => range(columns).map((k) => at(row, k))) },
    ],
    differentiable: false,
  };
}

function product({ bits, rows, columns, inputs, at }: Blocks): OpCase {
  const x = floats([3, columns], 32);
  const sum = (m: number, row: number): number =>
    range(columns).reduce((total, k) => total + (x.data[m * columns + k] ?? NaN) * at(row, k), 0);
  return {
    op: "blockLinear",
    title: `product with ${bits}-bit blocks [${rows}, ${columns}]`,
    inputs: [x, ...inputs],
    build: ([v, d, s]) => [blockLinear(v as Value, d as Value, s as Value, { bits, columns })],
    expected: [{ dims: [3, rows], data: range(3).flatMap((m) => range(rows).map((row) => sum(m, row))) }],
    differentiable: true,
  };
}

export function blockCases(): OpCase[] {
  const forms = [blocks(8, 4, 64), blocks(4, 4, 64), blocks(8, 3, 40), blocks(4, 3, 40)];
  return [...forms.map((form) => values(form)), values(blocks(8, 2, 32), "M"), ...forms.map(product)];
}
