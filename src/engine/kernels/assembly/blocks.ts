/**
 * Matrices in blocks of 32 integers of 8 or 4 bits with a float32 scale each (engine/graph/block-tensor.ts): the product with
 * one, x W^T, and its numbers. Eight rows of W at a time become a panel of floats, as `pack` leaves it, in a room that each
 * thread has of its own and that stays in its cache: all rows of x are multiplied by it before the next.
 */
import { gemmPart } from "./gemm";
import { argument, put, run, thread } from "./share";

/** Four integers of 8 bits as floats times a scale. */
// @ts-ignore: decorator
@inline
function four8(at: usize, scale: v128): v128 {
  const wide = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(at)));
  return f32x4.mul(f32x4.sub(f32x4.convert_i32x4_u(wide), f32x4.splat(128)), scale);
}

/** Four integers of 4 bits likewise: each keeps its place in the 16 bits, and is brought down as a float, exactly. */
// @ts-ignore: decorator
@inline
function four4(at: usize, scale: v128): v128 {
  const placed = v128.and(i32x4.splat(<i32>load<u16>(at)), i32x4(0xf, 0xf0, 0xf00, 0xf000));
  const q = f32x4.mul(f32x4.convert_i32x4_u(placed), f32x4(1, 0.0625, 0.00390625, 0.000244140625));
  return f32x4.mul(f32x4.sub(q, f32x4.splat(8)), scale);
}

/** Numbers `k` .. `k`+3 of a row whose blocks begin at `row`; `k` is a multiple of 4. */
// @ts-ignore: decorator
@inline
function four(bits: i32, row: usize, k: i32, scale: v128): v128 {
  return bits == 8 ? four8(row + k, scale) : four4(row + (k >> 1), scale);
}

/** x [M, K], data [N, blocks, 4 * bits bytes], scales [N, blocks] -> c [M, N]; room has `roomBytes` for each thread. */
export function blockGemm(
  M: i32,
  N: i32,
  K: i32,
  bits: i32,
  x: usize,
  data: usize,
  scales: usize,
  c: usize,
  room: usize,
  roomBytes: i32,
): void {
  put(0, M);
  put(1, N);
  put(2, K);
  put(3, bits);
  put(4, x);
  put(5, data);
  put(6, scales);
  put(7, c);
  put(8, room);
  put(9, roomBytes);
  run(blockGemmPiece, (N + 7) >> 3, 1, (<f64>N * <f64>K * <f64>(M + 8)) / 16);
}

function blockGemmPiece(from: i32, to: i32): void {
  const M = argument(0), N = argument(1), K = argument(2), bits = argument(3);
  const x = argument(4), c = argument(7);
  const blocks = (K + 31) >> 5;
  const rowBytes = blocks * (bits << 2);
  const room = argument(8) + thread() * argument(9);
  for (let panel = from; panel < to; panel++) {
    const n = panel << 3;
    const rows = min(8, N - n);
    const data = argument(5) + n * rowBytes;
    const scales = argument(6) + n * (blocks << 2);
    if (bits == 8) unpackPanel8(rows, blocks, data, scales, room);
    else unpackPanel4(rows, blocks, data, scales, room);
    gemmPart(0, M, n, n + rows, K, x, K << 2, 4, room - panel * (K << 5), c, N << 2, false);
  }
}

/**
 * `rows` rows of 8 bits (at most eight) as [blocks * 32, 8]; the columns of missing ones are 0. Bytes change places before they
 * become floats: 16 integers of each row in 24 shuffles.
 */
function unpackPanel8(rows: i32, blocks: i32, data: usize, scales: usize, out: usize): void {
  const stride: usize = blocks << 5;
  const d1 = data + (rows > 1 ? stride : 0), d2 = data + (rows > 2 ? stride * 2 : 0);
  const d3 = data + (rows > 3 ? stride * 3 : 0), d4 = data + (rows > 4 ? stride * 4 : 0);
  const d5 = data + (rows > 5 ? stride * 5 : 0), d6 = data + (rows > 6 ? stride * 6 : 0);
  const d7 = data + (rows > 7 ? stride * 7 : 0);
  for (let block = 0; block < blocks; block++) {
    const at = scales + (block << 2);
    const low = scalesOf(rows, at, blocks << 2), high = scalesOf(rows - 4, at + (blocks << 4), blocks << 2);
    for (let k = block << 5; k < (block + 1) << 5; k += 16) {
      const r0 = v128.load(data + k), r1 = v128.load(d1 + k), r2 = v128.load(d2 + k), r3 = v128.load(d3 + k);
      const r4 = v128.load(d4 + k), r5 = v128.load(d5 + k), r6 = v128.load(d6 + k), r7 = v128.load(d7 + k);
      const to = out + (k << 5);
      eightColumns(low8(r0, r1), low8(r2, r3), low8(r4, r5), low8(r6, r7), low, high, to);
      eightColumns(high8(r0, r1), high8(r2, r3), high8(r4, r5), high8(r6, r7), low, high, to + 256);
    }
  }
}

/** The scales of the first four of `rows` rows, 0 for missing ones. */
// @ts-ignore: decorator
@inline
function scalesOf(rows: i32, at: usize, stride: i32): v128 {
  let four = f32x4.splat(0);
  if (rows > 0) four = v128.load32_zero(at);
  if (rows > 1) four = v128.load32_lane(at + stride, four, 1);
  if (rows > 2) four = v128.load32_lane(at + (stride << 1), four, 2);
  if (rows > 3) four = v128.load32_lane(at + stride * 3, four, 3);
  return four;
}

/** The bytes of two vectors' lower halves in turn. */
// @ts-ignore: decorator
@inline
function low8(a: v128, b: v128): v128 {
  return v128.shuffle<i8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-ignore: decorator
@inline
function high8(a: v128, b: v128): v128 {
  return v128.shuffle<i8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/** Eight integers of each of eight rows, given as the bytes of rows 0 and 1 in turn, of 2 and 3 ..., as eight rows of eight floats. */
// @ts-ignore: decorator
@inline
function eightColumns(a: v128, b: v128, c: v128, d: v128, low: v128, high: v128, out: usize): void {
  const a0 = v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11), a1 = v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  const c0 = v128.shuffle<i16>(c, d, 0, 8, 1, 9, 2, 10, 3, 11), c1 = v128.shuffle<i16>(c, d, 4, 12, 5, 13, 6, 14, 7, 15);
  twoColumns(v128.shuffle<i32>(a0, c0, 0, 4, 1, 5), low, high, out);
  twoColumns(v128.shuffle<i32>(a0, c0, 2, 6, 3, 7), low, high, out + 64);
  twoColumns(v128.shuffle<i32>(a1, c1, 0, 4, 1, 5), low, high, out + 128);
  twoColumns(v128.shuffle<i32>(a1, c1, 2, 6, 3, 7), low, high, out + 192);
}

/** Twice eight integers of 8 bits as floats times the scales of their rows. */
// @ts-ignore: decorator
@inline
function twoColumns(q: v128, low: v128, high: v128, out: usize): void {
  const signed = v128.xor(q, i8x16.splat(-128)); // q - 128
  const first = i16x8.extend_low_i8x16_s(signed), second = i16x8.extend_high_i8x16_s(signed);
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(first)), low));
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(first)), high), 16);
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(second)), low), 32);
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(second)), high), 48);
}

/** `rows` rows of 4 bits (at most eight) as [blocks * 32, 8]; the columns of missing ones are 0. */
function unpackPanel4(rows: i32, blocks: i32, data: usize, scales: usize, out: usize): void {
  const rowBytes = blocks << 4;
  for (let half = 0; half < 2; half++) {
    const first = half << 2;
    for (let block = 0; block < blocks; block++) {
      for (let k = block << 5; k < (block + 1) << 5; k += 4) {
        const at = scales + (first * blocks + block) * 4;
        const r0 = rowOf(rows, first, data, rowBytes, k, at);
        const r1 = rowOf(rows, first + 1, data, rowBytes, k, at + (blocks << 2));
        const r2 = rowOf(rows, first + 2, data, rowBytes, k, at + (blocks << 3));
        const r3 = rowOf(rows, first + 3, data, rowBytes, k, at + blocks * 12);
        const a = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5), b = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
        const d = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7), e = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
        const to = out + (k << 5) + (half << 4);
        v128.store(to, v128.shuffle<f32>(a, b, 0, 1, 4, 5));
        v128.store(to + 32, v128.shuffle<f32>(a, b, 2, 3, 6, 7));
        v128.store(to + 64, v128.shuffle<f32>(d, e, 0, 1, 4, 5));
        v128.store(to + 96, v128.shuffle<f32>(d, e, 2, 3, 6, 7));
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function rowOf(rows: i32, row: i32, data: usize, rowBytes: i32, k: i32, scale: usize): v128 {
  if (row >= rows) return f32x4.splat(0);
  return four4(data + row * rowBytes + (k >> 1), v128.load32_splat(scale));
}

/** The numbers of blocks: out [rows, K]. */
export function unpackBlocks(rows: i32, K: i32, bits: i32, data: usize, scales: usize, out: usize): void {
  put(0, K);
  put(1, bits);
  put(2, data);
  put(3, scales);
  put(4, out);
  run(unpackBlocksPiece, rows, 1, (<f64>rows * <f64>K) / 2);
}

function unpackBlocksPiece(from: i32, to: i32): void {
  const K = argument(0), bits = argument(1);
  const blocks = (K + 31) >> 5;
  const rowBytes = blocks * (bits << 2);
  for (let row = from; row < to; row++) {
    const data = argument(2) + row * rowBytes;
    const scales = argument(3) + row * (blocks << 2);
    const out = argument(4) + row * (K << 2);
    let k = 0;
    for (; k + 4 <= K; k += 4) {
      v128.store(out + (k << 2), four(bits, data, k, v128.load32_splat(scales + ((k >> 5) << 2))));
    }
    if (k < K) {
      const last = four(bits, data, k, v128.load32_splat(scales + ((k >> 5) << 2)));
      f32.store(out + (k << 2), f32x4.extract_lane(last, 0));
      if (k + 1 < K) f32.store(out + ((k + 1) << 2), f32x4.extract_lane(last, 1));
      if (k + 2 < K) f32.store(out + ((k + 2) << 2), f32x4.extract_lane(last, 2));
    }
  }
}
