/** Row by row: sums, maxima, softmax, RMS norm, running sums and rotary position embedding. x is [rows, columns]. */
import { argument, put, run } from "./share";
import { exp4, madd, sum4 } from "./simd";

// @ts-ignore: decorator
@inline
function rowMax(columns: i32, x: usize): f32 {
  let top: f32 = -Infinity;
  let j = 0;
  if (columns >= 4) {
    let best = v128.load(x);
    for (j = 4; j + 4 <= columns; j += 4) best = f32x4.pmax(best, v128.load(x + (j << 2)));
    top = max(
      max(f32x4.extract_lane(best, 0), f32x4.extract_lane(best, 1)),
      max(f32x4.extract_lane(best, 2), f32x4.extract_lane(best, 3)),
    );
  }
  for (; j < columns; j++) top = max(top, f32.load(x + (j << 2)));
  return top;
}

// @ts-ignore: decorator
@inline
function rowSum(columns: i32, x: usize): f32 {
  let total = f32x4.splat(0);
  let j = 0;
  for (; j + 4 <= columns; j += 4) total = f32x4.add(total, v128.load(x + (j << 2)));
  let sum = sum4(total);
  for (; j < columns; j++) sum += f32.load(x + (j << 2));
  return sum;
}

/** out [rows]. */
export function maxRows(rows: i32, columns: i32, x: usize, out: usize): void {
  put(0, columns);
  put(1, x);
  put(2, out);
  run(maxRowsPiece, rows, 1, (<f64>rows * <f64>columns) / 8);
}

function maxRowsPiece(from: i32, to: i32): void {
  const columns = argument(0), x = argument(1), out = argument(2);
  for (let r = from; r < to; r++) f32.store(out + (r << 2), rowMax(columns, x + r * (columns << 2)));
}

/** out [rows]: the sum times `scale`. */
export function sumRows(rows: i32, columns: i32, x: usize, scale: f32, out: usize): void {
  put(0, columns);
  put(1, x);
  put(2, reinterpret<u32>(scale));
  put(3, out);
  run(sumRowsPiece, rows, 1, (<f64>rows * <f64>columns) / 8);
}

function sumRowsPiece(from: i32, to: i32): void {
  const columns = argument(0), x = argument(1), scale = reinterpret<f32>(argument(2)), out = argument(3);
  for (let r = from; r < to; r++) f32.store(out + (r << 2), rowSum(columns, x + r * (columns << 2)) * scale);
}

/** x [outer, middle, inner] -> out [outer, inner]: the sum over the middle times `scale`. */
export function sumMiddle(outer: i32, middle: i32, inner: i32, x: usize, scale: f32, out: usize): void {
  const vectors = (inner + 3) >> 2;
  put(0, middle);
  put(1, inner);
  put(2, x);
  put(3, reinterpret<u32>(scale));
  put(4, out);
  const work = (<f64>outer * <f64>middle * <f64>inner) / 8;
  if (outer == 1) run(sumMiddleVectors, vectors, 1, work);
  else run(sumMiddleOuter, outer, 1, (inner & 3) == 0 ? work : 0);
}

function sumMiddleOuter(from: i32, to: i32): void {
  for (let o = from; o < to; o++) sumOver(o, 0, (argument(1) + 3) >> 2);
}

function sumMiddleVectors(from: i32, to: i32): void {
  sumOver(0, from, to);
}

/** Vectors `from` .. `to`-1 of the inner axis. */
function sumOver(o: i32, from: i32, to: i32): void {
  const middle = argument(0), row = argument(1) << 2, scale = f32x4.splat(reinterpret<f32>(argument(3)));
  const x = argument(2) + o * middle * row, out = argument(4) + o * row;
  for (let i = from << 4; i < to << 4; i += 16) {
    let total = f32x4.splat(0);
    let at = x + i;
    for (let m = 0; m < middle; m++, at += row) total = f32x4.add(total, v128.load(at));
    v128.store(out + i, f32x4.mul(total, scale));
  }
}

export function softmax(rows: i32, columns: i32, x: usize, out: usize): void {
  put(0, columns);
  put(1, x);
  put(2, out);
  run(softmaxPiece, rows, 1, <f64>rows * <f64>columns * 2);
}

function softmaxPiece(from: i32, to: i32): void {
  const columns = argument(0), row = columns << 2;
  let x = argument(1) + from * row, out = argument(2) + from * row;
  for (let r = from; r < to; r++) {
    const top = f32x4.splat(rowMax(columns, x));
    let total = f32x4.splat(0);
    let j = 0;
    for (; j + 4 <= columns; j += 4) {
      const e = exp4(f32x4.sub(v128.load(x + (j << 2)), top));
      v128.store(out + (j << 2), e);
      total = f32x4.add(total, e);
    }
    let sum = sum4(total);
    for (; j < columns; j++) {
      const e = f32x4.extract_lane(exp4(f32x4.sub(v128.load32_splat(x + (j << 2)), top)), 0);
      f32.store(out + (j << 2), e);
      sum += e;
    }
    const scale = f32x4.splat(<f32>1 / sum);
    j = 0;
    for (; j + 4 <= columns; j += 4) {
      const at = out + (j << 2);
      v128.store(at, f32x4.mul(v128.load(at), scale));
    }
    for (; j < columns; j++) {
      const at = out + (j << 2);
      f32.store(at, f32.load(at) / sum);
    }
    x += row;
    out += row;
  }
}

/** x / sqrt(mean(x^2) + eps) * weight. */
export function rmsNorm(rows: i32, columns: i32, x: usize, weight: usize, eps: f32, out: usize): void {
  put(0, columns);
  put(1, x);
  put(2, weight);
  put(3, reinterpret<u32>(eps));
  put(4, out);
  run(rmsNormPiece, rows, 1, (columns & 3) == 0 ? (<f64>rows * <f64>columns) / 2 : 0);
}

function rmsNormPiece(from: i32, to: i32): void {
  const columns = argument(0), row = columns << 2, weight = argument(2), eps = reinterpret<f32>(argument(3));
  let x = argument(1) + from * row, out = argument(4) + from * row;
  for (let r = from; r < to; r++) {
    let total = f32x4.splat(0);
    let j = 0;
    for (; j + 4 <= columns; j += 4) {
      const v = v128.load(x + (j << 2));
      total = madd(v, v, total);
    }
    let squares = sum4(total);
    for (; j < columns; j++) squares += f32.load(x + (j << 2)) * f32.load(x + (j << 2));
    const scale = f32x4.splat(<f32>1 / sqrt(squares / <f32>columns + eps));
    for (let i = 0; i < row; i += 16) {
      v128.store(out + i, f32x4.mul(f32x4.mul(v128.load(x + i), scale), v128.load(weight + i)));
    }
    x += row;
    out += row;
  }
}

/** Running sums. */
export function cumSum(rows: i32, columns: i32, x: usize, out: usize): void {
  for (let r = 0; r < rows; r++) {
    let sum: f32 = 0;
    for (let j = 0; j < columns; j++) {
      sum += f32.load(x);
      f32.store(out, sum);
      x += 4;
      out += 4;
    }
  }
}

/** Heads of 2 * half numbers; half is a multiple of 4. positions int32 [rows], cos and sin [max, half]. */
export function rotary(
  rows: i32,
  columns: i32,
  half: i32,
  x: usize,
  positions: usize,
  cos: usize,
  sin: usize,
  out: usize,
): void {
  put(0, columns);
  put(1, half);
  put(2, x);
  put(3, positions);
  put(4, cos);
  put(5, sin);
  put(6, out);
  run(rotaryPiece, rows, 1, (<f64>rows * <f64>columns) / 2);
}

function rotaryPiece(from: i32, to: i32): void {
  const row = argument(0) << 2, wide = argument(1) << 2;
  const positions = argument(3), cos = argument(4), sin = argument(5);
  let x = argument(2) + from * row, out = argument(6) + from * row;
  for (let r = from; r < to; r++) {
    const angle = i32.load(positions + (r << 2)) * wide;
    for (let head = 0; head < row; head += wide << 1) {
      for (let i = 0; i < wide; i += 16) {
        const c = v128.load(cos + angle + i);
        const s = v128.load(sin + angle + i);
        const first = v128.load(x + head + i);
        const second = v128.load(x + head + wide + i);
        v128.store(out + head + i, f32x4.sub(f32x4.mul(first, c), f32x4.mul(second, s)));
        v128.store(out + head + wide + i, f32x4.add(f32x4.mul(second, c), f32x4.mul(first, s)));
      }
    }
    x += row;
    out += row;
  }
}
