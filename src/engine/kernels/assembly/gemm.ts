/**
 * Matrix products: C[M, N] (+)= A[M, K] B[K, N] in float32. B comes packed in panels of eight columns, A as it lies, with
 * a stride for each axis, so that a transposed A needs no copy. Strides are in bytes.
 */
import { argument, put, run, thread } from "./share";
import { madd, SPARE } from "./simd";

/** Rows of A that are swept by one panel of B after the other while they stay in the nearest cache. */
const BLOCK: i32 = 48;
/** Rows that are shared as one, and from how many of them on a product is cut by rows; a lower one by panels. */
const UNIT: i32 = 24;
const ENOUGH_UNITS: i32 = 16;

/** Packs B [K, N] of any strides: panels of eight columns, row by row, the last panel filled up with zeros. */
export function pack(K: i32, N: i32, b: usize, kStride: i32, nStride: i32, out: usize): void {
  put(0, K);
  put(1, N);
  put(2, b);
  put(3, kStride);
  put(4, nStride);
  put(5, out);
  run(packPiece, (N + 7) >> 3, 1, <f64>K * <f64>N * (nStride == 4 ? 0.25 : 1));
}

function packPiece(from: i32, to: i32): void {
  packPanels(from, to, argument(0), argument(1), argument(2), argument(3), argument(4), argument(5));
}

function packPanels(from: i32, to: i32, K: i32, N: i32, b: usize, kStride: i32, nStride: i32, out: usize): void {
  out += from * (K << 5);
  for (let n = from << 3; n < min(N, to << 3); n += 8) {
    const columns = min(8, N - n);
    const panel = b + n * nStride;
    if (columns == 8 && nStride == 4) {
      for (let k = 0; k < K; k++) {
        const row = panel + k * kStride;
        v128.store(out, v128.load(row));
        v128.store(out, v128.load(row, 16), 16);
        out += 32;
      }
      continue;
    }
    for (let k = 0; k < K; k++) {
      const row = panel + k * kStride;
      for (let j = 0; j < 8; j++) {
        f32.store(out + (j << 2), j < columns ? f32.load(row + j * nStride) : 0);
      }
      out += 32;
    }
  }
}

/** a [rows M, K] of any strides, b from `pack`, c [M, N] with rows `cStride` apart; adds to c where `accumulate`. */
export function gemm(
  M: i32,
  N: i32,
  K: i32,
  a: usize,
  rowStride: i32,
  kStride: i32,
  b: usize,
  c: usize,
  cStride: i32,
  accumulate: bool,
): void {
  const units = (M + UNIT - 1) / UNIT;
  const panels = (N + 7) >> 3;
  put(0, M);
  put(1, N);
  put(2, K);
  put(3, a);
  put(4, rowStride);
  put(5, kStride);
  put(6, b);
  put(7, c);
  put(8, cStride);
  put(9, accumulate);
  const work = (<f64>M * <f64>N * <f64>K) / 16;
  if (units >= ENOUGH_UNITS || units > panels) run(gemmRows, units, 1, work);
  else run(gemmColumns, panels, 1, work);
}

function gemmRows(from: i32, to: i32): void {
  const M = argument(0);
  gemmPart(from * UNIT, min(M, to * UNIT), 0, argument(1), argument(2), argument(3), argument(4), argument(5), argument(6), argument(7), argument(8), argument(9) != 0);
}

function gemmColumns(from: i32, to: i32): void {
  const N = argument(1);
  gemmPart(0, argument(0), from << 3, min(N, to << 3), argument(2), argument(3), argument(4), argument(5), argument(6), argument(7), argument(8), argument(9) != 0);
}

/** How many of the rows that are left come next: six, but so that none of one or two is left, which would wait for its own sums. */
// @ts-ignore: decorator
@inline
function tileRows(left: i32): i32 {
  if (left == 7 || left == 8) return 4;
  return min(left, 6);
}

/** Rows `m0` .. `m1`-1 of the columns `n0` .. `n1`-1, which begin and but for the last end with a panel. */
export function gemmPart(
  m0: i32,
  m1: i32,
  n0: i32,
  n1: i32,
  K: i32,
  a: usize,
  rowStride: i32,
  kStride: i32,
  b: usize,
  c: usize,
  cStride: i32,
  accumulate: bool,
): void {
  for (let block = m0; block < m1; block += BLOCK) {
    const end = min(m1, block + BLOCK);
    for (let n = n0; n < n1; n += 8) {
      const panel = b + (n >> 3) * (K << 5);
      const columns = min(8, n1 - n);
      for (let m = block; m < end; ) {
        const rows = tileRows(end - m);
        const from = a + m * rowStride, to = c + m * cStride + (n << 2);
        if (rows == 6) tile6(K, from, rowStride, kStride, panel, to, cStride, columns, accumulate);
        else if (rows == 5) tile5(K, from, rowStride, kStride, panel, to, cStride, columns, accumulate);
        else if (rows == 4) tile4(K, from, rowStride, kStride, panel, to, cStride, columns, accumulate);
        else if (rows == 3) tile3(K, from, rowStride, kStride, panel, to, cStride, columns, accumulate);
        else if (rows == 2) tile2(K, from, rowStride, kStride, panel, to, cStride, columns, accumulate);
        else tile1(K, from, kStride, panel, to, columns, accumulate);
        m += rows;
      }
    }
  }
}

/**
 * `count` products of one size. `table` has three offsets in bytes for each: where in a, b and c it begins; b [K, N] lies row
 * by row and is packed into a room of `roomBytes` that each thread has of its own.
 */
export function products(
  count: i32,
  table: usize,
  M: i32,
  N: i32,
  K: i32,
  a: usize,
  b: usize,
  c: usize,
  room: usize,
  roomBytes: i32,
): void {
  put(0, table);
  put(1, M);
  put(2, N);
  put(3, K);
  put(4, a);
  put(5, b);
  put(6, c);
  put(7, room);
  put(8, roomBytes);
  run(productsPiece, count, 1, (<f64>count * <f64>M * <f64>N * <f64>K) / 16);
}

function productsPiece(from: i32, to: i32): void {
  const table = argument(0), M = argument(1), N = argument(2), K = argument(3);
  const a = argument(4), b = argument(5), c = argument(6);
  const room = argument(7) + thread() * argument(8);
  let inRoom = -1;
  for (let at = table + from * 12; at < table + to * 12; at += 12) {
    const right = i32.load(at, 4);
    if (right != inRoom) packPanels(0, (N + 7) >> 3, K, N, b + right, N << 2, 4, room);
    inRoom = right;
    gemmPart(0, M, 0, N, K, a + i32.load(at), K << 2, 4, room, c + i32.load(at, 8), N << 2, false);
  }
}

/** Stores the first `columns` of eight numbers. */
// @ts-ignore: decorator
@inline
function store(c: usize, low: v128, high: v128, columns: i32, accumulate: bool): void {
  if (columns == 8) {
    if (accumulate) {
      low = f32x4.add(low, v128.load(c));
      high = f32x4.add(high, v128.load(c, 16));
    }
    v128.store(c, low);
    v128.store(c, high, 16);
    return;
  }
  const spare = SPARE + (thread() << 5);
  v128.store(spare, low);
  v128.store(spare, high, 16);
  for (let j = 0; j < columns; j++) {
    const at = c + (j << 2);
    const value = f32.load(spare + (j << 2));
    f32.store(at, accumulate ? f32.load(at) + value : value);
  }
}

/** Two to six rows by eight columns; six keep twelve sums in registers, which is all there are. */
// @ts-ignore: decorator
@inline
function tile(
  rows: i32,
  K: i32,
  a: usize,
  rowStride: i32,
  kStride: i32,
  b: usize,
  c: usize,
  cStride: i32,
  columns: i32,
  accumulate: bool,
): void {
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0), c31 = f32x4.splat(0);
  let c40 = f32x4.splat(0), c41 = f32x4.splat(0);
  let c50 = f32x4.splat(0), c51 = f32x4.splat(0);
  let a0 = a, a1 = a0 + rowStride, a2 = a1 + rowStride, a3 = a2 + rowStride;
  let a4 = a3 + rowStride, a5 = a4 + rowStride;
  for (let k = 0; k < K; k++) {
    const low = v128.load(b);
    const high = v128.load(b, 16);
    b += 32;
    let x = v128.load32_splat(a0);
    c00 = madd(x, low, c00);
    c01 = madd(x, high, c01);
    a0 += kStride;
    x = v128.load32_splat(a1);
    c10 = madd(x, low, c10);
    c11 = madd(x, high, c11);
    a1 += kStride;
    if (rows > 2) {
      x = v128.load32_splat(a2);
      c20 = madd(x, low, c20);
      c21 = madd(x, high, c21);
      a2 += kStride;
    }
    if (rows > 3) {
      x = v128.load32_splat(a3);
      c30 = madd(x, low, c30);
      c31 = madd(x, high, c31);
      a3 += kStride;
    }
    if (rows > 4) {
      x = v128.load32_splat(a4);
      c40 = madd(x, low, c40);
      c41 = madd(x, high, c41);
      a4 += kStride;
    }
    if (rows > 5) {
      x = v128.load32_splat(a5);
      c50 = madd(x, low, c50);
      c51 = madd(x, high, c51);
      a5 += kStride;
    }
  }
  store(c, c00, c01, columns, accumulate);
  store(c + cStride, c10, c11, columns, accumulate);
  if (rows > 2) store(c + 2 * cStride, c20, c21, columns, accumulate);
  if (rows > 3) store(c + 3 * cStride, c30, c31, columns, accumulate);
  if (rows > 4) store(c + 4 * cStride, c40, c41, columns, accumulate);
  if (rows > 5) store(c + 5 * cStride, c50, c51, columns, accumulate);
}

function tile6(K: i32, a: usize, rowStride: i32, kStride: i32, b: usize, c: usize, cStride: i32, columns: i32, accumulate: bool): void {
  tile(6, K, a, rowStride, kStride, b, c, cStride, columns, accumulate);
}

function tile5(K: i32, a: usize, rowStride: i32, kStride: i32, b: usize, c: usize, cStride: i32, columns: i32, accumulate: bool): void {
  tile(5, K, a, rowStride, kStride, b, c, cStride, columns, accumulate);
}

function tile4(K: i32, a: usize, rowStride: i32, kStride: i32, b: usize, c: usize, cStride: i32, columns: i32, accumulate: bool): void {
  tile(4, K, a, rowStride, kStride, b, c, cStride, columns, accumulate);
}

function tile3(K: i32, a: usize, rowStride: i32, kStride: i32, b: usize, c: usize, cStride: i32, columns: i32, accumulate: bool): void {
  tile(3, K, a, rowStride, kStride, b, c, cStride, columns, accumulate);
}

function tile2(K: i32, a: usize, rowStride: i32, kStride: i32, b: usize, c: usize, cStride: i32, columns: i32, accumulate: bool): void {
  tile(2, K, a, rowStride, kStride, b, c, cStride, columns, accumulate);
}

function tile1(K: i32, a: usize, kStride: i32, b: usize, c: usize, columns: i32, accumulate: bool): void {
  let low = f32x4.splat(0), high = f32x4.splat(0);
  for (let k = 0; k < K; k++) {
    const x = v128.load32_splat(a);
    low = madd(x, v128.load(b), low);
    high = madd(x, v128.load(b, 16), high);
    b += 32;
    a += kStride;
  }
  store(c, low, high, columns, accumulate);
}
