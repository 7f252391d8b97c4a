/**
 * Matrix products: C[M, N] (+)= A[M, K] B[K, N] in float32. B comes packed in panels of eight columns, A as it lies, with
 * a stride for each axis, so that a transposed A needs no copy. Strides are in bytes.
 */
import { madd, SPARE } from "./simd";

/** Rows of A that are swept by one panel of B after the other while they stay in the nearest cache. */
const BLOCK: i32 = 48;

/** Packs B [K, N] of any strides: panels of eight columns, row by row, the last panel filled up with zeros. */
export function pack(K: i32, N: i32, b: usize, kStride: i32, nStride: i32, out: usize): void {
  let to = out;
  for (let n = 0; n < N; n += 8) {
    const columns = min(8, N - n);
    const panel = b + n * nStride;
    if (columns == 8 && nStride == 4) {
      for (let k = 0; k < K; k++) {
        const from = panel + k * kStride;
        v128.store(to, v128.load(from));
        v128.store(to, v128.load(from, 16), 16);
        to += 32;
      }
      continue;
    }
    for (let k = 0; k < K; k++) {
      const from = panel + k * kStride;
      for (let j = 0; j < 8; j++) {
        f32.store(to + (j << 2), j < columns ? f32.load(from + j * nStride) : 0);
      }
      to += 32;
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
  for (let block = 0; block < M; block += BLOCK) {
    const end = min(M, block + BLOCK);
    for (let n = 0; n < N; n += 8) {
      const panel = b + (n >> 3) * (K << 5);
      const columns = min(8, N - n);
      let m = block;
      for (; m + 6 <= end; m += 6) {
        tile6(K, a + m * rowStride, rowStride, kStride, panel, c + m * cStride + (n << 2), cStride, columns, accumulate);
      }
      for (; m + 4 <= end; m += 4) {
        tile4(K, a + m * rowStride, rowStride, kStride, panel, c + m * cStride + (n << 2), cStride, columns, accumulate);
      }
      for (; m < end; m++) {
        tile1(K, a + m * rowStride, kStride, panel, c + m * cStride + (n << 2), columns, accumulate);
      }
    }
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
  v128.store(SPARE, low);
  v128.store(SPARE, high, 16);
  for (let j = 0; j < columns; j++) {
    const at = c + (j << 2);
    const value = f32.load(SPARE + (j << 2));
    f32.store(at, accumulate ? f32.load(at) + value : value);
  }
}

/** Four or six rows by eight columns; six keep twelve sums in registers, which is all there are. */
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
    x = v128.load32_splat(a1);
    c10 = madd(x, low, c10);
    c11 = madd(x, high, c11);
    x = v128.load32_splat(a2);
    c20 = madd(x, low, c20);
    c21 = madd(x, high, c21);
    x = v128.load32_splat(a3);
    c30 = madd(x, low, c30);
    c31 = madd(x, high, c31);
    a0 += kStride;
    a1 += kStride;
    a2 += kStride;
    a3 += kStride;
    if (rows == 6) {
      x = v128.load32_splat(a4);
      c40 = madd(x, low, c40);
      c41 = madd(x, high, c41);
      x = v128.load32_splat(a5);
      c50 = madd(x, low, c50);
      c51 = madd(x, high, c51);
      a4 += kStride;
      a5 += kStride;
    }
  }
  store(c, c00, c01, columns, accumulate);
  store(c + cStride, c10, c11, columns, accumulate);
  store(c + 2 * cStride, c20, c21, columns, accumulate);
  store(c + 3 * cStride, c30, c31, columns, accumulate);
  if (rows == 6) {
    store(c + 4 * cStride, c40, c41, columns, accumulate);
    store(c + 5 * cStride, c50, c51, columns, accumulate);
  }
}

function tile6(K: i32, a: usize, rowStride: i32, kStride: i32, b: usize, c: usize, cStride: i32, columns: i32, accumulate: bool): void {
  tile(6, K, a, rowStride, kStride, b, c, cStride, columns, accumulate);
}

function tile4(K: i32, a: usize, rowStride: i32, kStride: i32, b: usize, c: usize, cStride: i32, columns: i32, accumulate: bool): void {
  tile(4, K, a, rowStride, kStride, b, c, cStride, columns, accumulate);
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
