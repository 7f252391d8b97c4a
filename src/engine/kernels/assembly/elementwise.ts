/** Element by element, in whole vectors: what is written past a row's end is overwritten by the next row or lies in spare room. */
import { exp4, sigmoid4 } from "./simd";

const enum Unary { NEG, EXP, SQRT, RECIPROCAL, ABS, SQUARE, SIGMOID, SILU, TO_FLOAT, TO_INT, NOT }

// @ts-ignore: decorator
@inline
function unary(op: Unary, n: i32, x: usize, out: usize): void {
  const end = x + (n << 2);
  for (; x < end; x += 16, out += 16) {
    const v = v128.load(x);
    let y = v;
    if (op == Unary.NEG) y = f32x4.neg(v);
    if (op == Unary.EXP) y = exp4(v);
    if (op == Unary.SQRT) y = f32x4.sqrt(v);
    if (op == Unary.RECIPROCAL) y = f32x4.div(f32x4.splat(1), v);
    if (op == Unary.ABS) y = f32x4.abs(v);
    if (op == Unary.SQUARE) y = f32x4.mul(v, v);
    if (op == Unary.SIGMOID) y = sigmoid4(v);
    if (op == Unary.SILU) y = f32x4.mul(v, sigmoid4(v));
    if (op == Unary.TO_FLOAT) y = f32x4.convert_i32x4_s(v);
    if (op == Unary.TO_INT) y = i32x4.trunc_sat_f32x4_s(v);
    if (op == Unary.NOT) y = i32x4.sub(i32x4.splat(1), v);
    v128.store(out, y);
  }
}

export function neg(n: i32, x: usize, out: usize): void { unary(Unary.NEG, n, x, out); }
export function exp(n: i32, x: usize, out: usize): void { unary(Unary.EXP, n, x, out); }
export function sqrt(n: i32, x: usize, out: usize): void { unary(Unary.SQRT, n, x, out); }
export function reciprocal(n: i32, x: usize, out: usize): void { unary(Unary.RECIPROCAL, n, x, out); }
export function abs(n: i32, x: usize, out: usize): void { unary(Unary.ABS, n, x, out); }
export function square(n: i32, x: usize, out: usize): void { unary(Unary.SQUARE, n, x, out); }
export function sigmoid(n: i32, x: usize, out: usize): void { unary(Unary.SIGMOID, n, x, out); }
export function silu(n: i32, x: usize, out: usize): void { unary(Unary.SILU, n, x, out); }
export function toFloat(n: i32, x: usize, out: usize): void { unary(Unary.TO_FLOAT, n, x, out); }
export function toInt(n: i32, x: usize, out: usize): void { unary(Unary.TO_INT, n, x, out); }
export function not(n: i32, x: usize, out: usize): void { unary(Unary.NOT, n, x, out); }

export function log(n: i32, x: usize, out: usize): void {
  const end = x + (n << 2);
  for (; x < end; x += 4, out += 4) f32.store(out, <f32>Math.log(f32.load(x)));
}

export function clip(n: i32, x: usize, low: f32, high: f32, out: usize): void {
  const end = x + (n << 2);
  for (; x < end; x += 16, out += 16) {
    v128.store(out, f32x4.min(f32x4.splat(high), f32x4.max(f32x4.splat(low), v128.load(x))));
  }
}

/** condition int32 0 or 1, all of one shape. */
export function where(n: i32, condition: usize, a: usize, b: usize, out: usize): void {
  const end = condition + (n << 2);
  for (; condition < end; condition += 16, a += 16, b += 16, out += 16) {
    const wins = i32x4.ne(v128.load(condition), i32x4.splat(0));
    v128.store(out, v128.bitselect(v128.load(a), v128.load(b), wins));
  }
}

const enum Binary { ADD, SUB, MUL, DIV, MAX, MIN, EQUAL, LESS, LESS_OR_EQUAL, EQUAL_INT, ADD_INT, AND, OR }

// @ts-ignore: decorator
@inline
function apply(op: Binary, a: v128, b: v128): v128 {
  if (op == Binary.ADD) return f32x4.add(a, b);
  if (op == Binary.SUB) return f32x4.sub(a, b);
  if (op == Binary.MUL) return f32x4.mul(a, b);
  if (op == Binary.DIV) return f32x4.div(a, b);
  if (op == Binary.MAX) return f32x4.max(a, b);
  if (op == Binary.MIN) return f32x4.min(a, b);
  if (op == Binary.ADD_INT) return i32x4.add(a, b);
  if (op == Binary.AND) return v128.and(a, b);
  if (op == Binary.OR) return v128.or(a, b);
  const one = i32x4.splat(1);
  if (op == Binary.EQUAL) return v128.and(one, f32x4.eq(a, b));
  if (op == Binary.LESS) return v128.and(one, f32x4.lt(a, b));
  if (op == Binary.LESS_OR_EQUAL) return v128.and(one, f32x4.le(a, b));
  return v128.and(one, i32x4.eq(a, b));
}

/**
 * Rows of `columns` numbers. An operand's row stride (bytes) may be 0, its column stride is 0 (one number a row) or 4.
 */
// @ts-ignore: decorator
@inline
function binary(
  op: Binary,
  rows: i32,
  columns: i32,
  a: usize,
  aRow: i32,
  aColumn: i32,
  b: usize,
  bRow: i32,
  bColumn: i32,
  out: usize,
): void {
  for (let r = 0; r < rows; r++) {
    const end = out + (columns << 2);
    let from = a, other = b, to = out;
    if (aColumn == 0) {
      const left = v128.load32_splat(from);
      for (; to < end; to += 16, other += 16) v128.store(to, apply(op, left, v128.load(other)));
    } else if (bColumn == 0) {
      const right = v128.load32_splat(other);
      for (; to < end; to += 16, from += 16) v128.store(to, apply(op, v128.load(from), right));
    } else {
      for (; to < end; to += 16, from += 16, other += 16) {
        v128.store(to, apply(op, v128.load(from), v128.load(other)));
      }
    }
    a += aRow;
    b += bRow;
    out = end;
  }
}

export function add(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.ADD, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function sub(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.SUB, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function mul(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.MUL, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function div(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.DIV, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function maximum(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.MAX, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function minimum(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.MIN, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function equal(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.EQUAL, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function less(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.LESS, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function lessOrEqual(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.LESS_OR_EQUAL, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function equalInt(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.EQUAL_INT, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function addInt(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.ADD_INT, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function and(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.AND, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function or(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.OR, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}
