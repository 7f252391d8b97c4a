/** Moving numbers of four bytes: copies between strided shapes (bytes), and rows by index. */

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
  const whole = x3 == 4 && y3 == 4;
  for (let i0 = 0; i0 < d0; i0++) {
    for (let i1 = 0; i1 < d1; i1++) {
      for (let i2 = 0; i2 < d2; i2++) {
        let from = x + i0 * x0 + i1 * x1 + i2 * x2;
        let to = y + i0 * y0 + i1 * y1 + i2 * y2;
        if (whole) {
          memory.copy(to, from, d3 << 2);
          continue;
        }
        for (let i3 = 0; i3 < d3; i3++) {
          i32.store(to, i32.load(from));
          from += x3;
          to += y3;
        }
      }
    }
  }
}

export function fill(n: i32, value: f32, out: usize): void {
  const end = out + (n << 2);
  for (; out < end; out += 4) f32.store(out, value);
}

/** out[i] = x[indices[i]], rows of `bytes`; returns the first index outside 0 .. limit-1, or -1. */
export function gather(n: i32, bytes: i32, limit: i32, x: usize, indices: usize, out: usize): i32 {
  for (let i = 0; i < n; i++) {
    const row = i32.load(indices + (i << 2));
    if (<u32>row >= <u32>limit) return i;
    memory.copy(out, x + row * bytes, bytes);
    out += bytes;
  }
  return -1;
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
