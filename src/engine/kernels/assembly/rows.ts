/** Row by row: sums, maxima, softmax, RMS norm, running sums and rotary position embedding. x is [rows, columns]. */
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
  for (let r = 0; r < rows; r++) f32.store(out + (r << 2), rowMax(columns, x + r * (columns << 2)));
}

/** out [rows]: the sum times `scale`. */
export function sumRows(rows: i32, columns: i32, x: usize, scale: f32, out: usize): void {
  for (let r = 0; r < rows; r++) f32.store(out + (r << 2), rowSum(columns, x + r * (columns << 2)) * scale);
}

/** x [outer, middle, inner] -> out [outer, inner]: the sum over the middle times `scale`. */
export function sumMiddle(outer: i32, middle: i32, inner: i32, x: usize, scale: f32, out: usize): void {
  const row = inner << 2;
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < row; i += 16) {
      let total = f32x4.splat(0);
      let from = x + i;
      for (let m = 0; m < middle; m++, from += row) total = f32x4.add(total, v128.load(from));
      v128.store(out + i, f32x4.mul(total, f32x4.splat(scale)));
    }
    x += middle * row;
    out += row;
  }
}

export function softmax(rows: i32, columns: i32, x: usize, out: usize): void {
  for (let r = 0; r < rows; r++) {
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
    x += columns << 2;
    out += columns << 2;
  }
}

/** x / sqrt(mean(x^2) + eps) * weight. */
export function rmsNorm(rows: i32, columns: i32, x: usize, weight: usize, eps: f32, out: usize): void {
  for (let r = 0; r < rows; r++) {
    let total = f32x4.splat(0);
    let j = 0;
    for (; j + 4 <= columns; j += 4) {
      const v = v128.load(x + (j << 2));
      total = madd(v, v, total);
    }
    let squares = sum4(total);
    for (; j < columns; j++) squares += f32.load(x + (j << 2)) * f32.load(x + (j << 2));
    const scale = f32x4.splat(<f32>1 / sqrt(squares / <f32>columns + eps));
    for (let i = 0; i < columns << 2; i += 16) {
      v128.store(out + i, f32x4.mul(f32x4.mul(v128.load(x + i), scale), v128.load(weight + i)));
    }
    x += columns << 2;
    out += columns << 2;
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
  const wide = half << 2;
  for (let r = 0; r < rows; r++) {
    const angle = i32.load(positions + (r << 2)) * wide;
    for (let head = 0; head < columns << 2; head += wide << 1) {
      for (let i = 0; i < wide; i += 16) {
        const c = v128.load(cos + angle + i);
        const s = v128.load(sin + angle + i);
        const first = v128.load(x + head + i);
        const second = v128.load(x + head + wide + i);
        v128.store(out + head + i, f32x4.sub(f32x4.mul(first, c), f32x4.mul(second, s)));
        v128.store(out + head + wide + i, f32x4.add(f32x4.mul(second, c), f32x4.mul(first, s)));
      }
    }
    x += columns << 2;
    out += columns << 2;
  }
}
