/** Matrix products. The right side is packed: once for a weight, at each run for anything else. */
import type { Value } from "../../graph/ir.ts";
import { broadcastStrides, collapse, outerOffsets, stridesOf } from "../strides.ts";
import { blockSize } from "../heap.ts";
import { packedBytes } from "../module.ts";
import type { NodeContext, Place, Step } from "../node-context.ts";
import { address, input, output } from "./node-parts.ts";

interface Right {
  readonly place: Place;
  /** Packs it in this run; undefined where it is packed for good. */
  readonly prepare?: Step;
}

function rightSide(
  context: NodeContext,
  b: Value,
  shape: { K: number; N: number; transposed: boolean },
): Right {
  const { K, N, transposed } = shape;
  const ready = context.packed(b, transposed);
  if (ready !== undefined) return { place: ready };
  const place = context.temp(packedBytes(K, N));
  const from = context.place(b);
  const [kStride, nStride] = transposed ? [4, 4 * K] : [4 * N, 4];
  const { pack } = context.kernels;
  return {
    place,
    prepare: (slots) => {
      pack(K, N, address(slots, from), kStride, nStride, address(slots, place));
    },
  };
}

export function gemmLowering(context: NodeContext): Step {
  const { transA, transB } = context.node.attrs as { readonly transA: boolean; readonly transB: boolean };
  const a = input(context, 0);
  const [rows = 1, columns = 1] = context.dims(a);
  const [M = 1, N = 1] = context.dims(output(context));
  const K = transA ? rows : columns;
  const right = rightSide(context, input(context, 1), { K, N, transposed: transB });
  return product(context, { a: context.place(a), strides: transA ? [4, 4 * M] : [4 * K, 4], right, M, N, K });
}

interface Product {
  readonly a: Place;
  /** Bytes from row to row of A, and along K. */
  readonly strides: readonly [number, number];
  readonly right: Right;
  readonly M: number;
  readonly N: number;
  readonly K: number;
}

function product(context: NodeContext, { a, strides: [row, step], right, M, N, K }: Product): Step {
  const { kernels, accumulate } = context;
  const c = context.place(output(context));
  return (slots) => {
    right.prepare?.(slots);
    const [left, packed, to] = [address(slots, a), address(slots, right.place), address(slots, c)];
    kernels.gemm(M, N, K, left, row, step, packed, to, 4 * N, accumulate);
  };
}

/** a [..., M, K] @ b [..., K, N]: one product where b is a matrix, else one for each of the leading indices. */
export function matMulLowering(context: NodeContext): Step {
  const [a, b] = [input(context, 0), input(context, 1)];
  const [aDims, bDims, dims] = [context.dims(a), context.dims(b), context.dims(output(context))];
  const K = aDims.at(-1) ?? 1;
  const [M, N] = [dims.at(-2) ?? 1, dims.at(-1) ?? 1];
  if (bDims.length === 2) {
    const right = rightSide(context, b, { K, N, transposed: false });
    const rows = aDims.slice(0, -1).reduce((n, dim) => n * dim, 1);
    return product(context, { a: context.place(a), strides: [4 * K, 4], right, M: rows, N, K });
  }
  return batchedProduct(context, { a, b, M, N, K });
}

function batchedProduct(
  context: NodeContext,
  {
    a,
    b,
    M,
    N,
    K,
  }: { readonly a: Value; readonly b: Value; readonly M: number; readonly N: number; readonly K: number },
): Step {
  const { kernels, ints } = context;
  const batch = context.dims(output(context)).slice(0, -2);
  const strides = [a, b].map((value) => {
    const own = context.dims(value);
    const lead = own.slice(0, -2);
    const scale = (own.at(-1) ?? 1) * (own.at(-2) ?? 1);
    return broadcastStrides(lead, batch).map((stride) => stride * scale);
  });
  const offsets = outerOffsets(collapse(batch, [...strides, stridesOf(batch).map((s) => s * M * N)]), 0);
  const places = { a: context.place(a), b: context.place(b), c: context.place(output(context)) };
  const table = Int32Array.from(offsets.flat());
  const tableAt = context.temp(4 * table.length);
  const roomBytes = blockSize(packedBytes(K, N));
  const room = context.temp(roomBytes * context.threads);
  return (slots) => {
    const [left, right, to] = [address(slots, places.a), address(slots, places.b), address(slots, places.c)];
    const at = address(slots, tableAt);
    ints(at, table.length).set(table);
    kernels.products(offsets.length, at, M, N, K, left, right, to, address(slots, room), roomBytes);
  };
}
