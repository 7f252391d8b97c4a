/** Moving numbers of four bytes: copies between strided shapes (bytes), and rows by index. */
import { argument, put, run } from "./share";

export function copy4(
  d0: i32,
  d1: i32,
  d2: i32,
  d3: i32,
  x: usize,
  x0: i32,
  x1: i32,
  x2: i32,
  x3: i32,
  y: usize,
  y0: i32,
  y1: i32,
  y2: i32,
  y3: i32,
): void {
  put(0, d0);
  put(1, d1);
  put(2, d2);
  put(3, d3);
  put(4, x);
  put(5, x0);
  put(6, x1);
  put(7, x2);
  put(8, x3);
  put(9, y);
  put(10, y0);
  put(11, y1);
  put(12, y2);
  put(13, y3);
  run(copyRows, d0 * d1 * d2, 1, <f64>(d0 * d1 * d2) * <f64>d3 * (x3 == 4 && y3 == 4 ? 0.25 : 1));
}

/** Rows `from` .. `to`-1 of all [d0, d1, d2]. */
function copyRows(from: i32, to: i32): void {
  const d1 = argument(1), d2 = argument(2), d3 = argument(3);
  const x = argument(4), x0 = argument(5), x1 = argument(6), x2 = argument(7), x3 = argument(8);
  const y = argument(9), y0 = argument(10), y1 = argument(11), y2 = argument(12), y3 = argument(13);
  const whole = x3 == 4 && y3 == 4;
  let i2 = from % d2, i1 = from / d2 % d1, i0 = from / d2 / d1;
  for (let row = from; row < to; row++) {
    let at = x + i0 * x0 + i1 * x1 + i2 * x2;
    let out = y + i0 * y0 + i1 * y1 + i2 * y2;
    if (whole) memory.copy(out, at, d3 << 2);
    else {
      for (let i3 = 0; i3 < d3; i3++, at += x3, out += y3) i32.store(out, i32.load(at));
    }
    if (++i2 < d2) continue;
    i2 = 0;
    if (++i1 < d1) continue;
    i1 = 0;
    i0++;
  }
}

export function fill(n: i32, value: f32, out: usize): void {
  put(0, reinterpret<u32>(value));
  put(1, out);
  run(fillPiece, n, 4, <f64>n / 8);
}

function fillPiece(from: i32, to: i32): void {
  const value = reinterpret<f32>(argument(0));
  let at: usize = argument(1) + (from << 2);
  const end: usize = argument(1) + (to << 2);
  for (; at + 16 <= end; at += 16) v128.store(at, f32x4.splat(value));
  for (; at < end; at += 4) f32.store(at, value);
}

/** out[i] = x[indices[i]], rows of `bytes`; returns the first index outside 0 .. limit-1, or -1. */
export function gather(n: i32, bytes: i32, limit: i32, x: usize, indices: usize, out: usize): i32 {
  for (let i = 0; i < n; i++) {
    if (<u32>i32.load(indices + (i << 2)) >= <u32>limit) return i;
  }
  put(0, bytes);
  put(1, x);
  put(2, indices);
  put(3, out);
  run(gatherPiece, n, 1, (<f64>n * <f64>bytes) / 16);
  return -1;
}

function gatherPiece(from: i32, to: i32): void {
  const bytes = argument(0), x = argument(1), indices = argument(2), out = argument(3);
  for (let i = from; i < to; i++) memory.copy(out + i * bytes, x + i32.load(indices + (i << 2)) * bytes, bytes);
}

/** out[r] = x[r, indices[r]] for x [rows, columns]; returns the first row with an index outside, or -1. */
export function pick(rows: i32, columns: i32, x: usize, indices: usize, out: usize): i32 {
  for (let r = 0; r < rows; r++) {
    const at = i32.load(indices + (r << 2));
    if (<u32>at >= <u32>columns) return r;
    f32.store(out + (r << 2), f32.load(x + (r * columns + at) * 4));
  }
  return -1;
}
