/** Element by element, in whole vectors: what is written past a row's end is overwritten by the next row or lies in spare room. */
import { argument, put, run } from "./share";
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

type UnaryKernel = (n: i32, x: usize, out: usize) => void;

/** Runs a kernel over n numbers, each of so much work. */
function each(kernel: UnaryKernel, cost: f64, n: i32, x: usize, out: usize): void {
  put(0, kernel.index);
  put(1, x);
  put(2, out);
  run(eachPiece, n, 4, <f64>n * cost);
}

function eachPiece(from: i32, to: i32): void {
  call_indirect<void>(argument(0), to - from, argument(1) + (from << 2), argument(2) + (from << 2));
}

function negOf(n: i32, x: usize, out: usize): void { unary(Unary.NEG, n, x, out); }
function expOf(n: i32, x: usize, out: usize): void { unary(Unary.EXP, n, x, out); }
function sqrtOf(n: i32, x: usize, out: usize): void { unary(Unary.SQRT, n, x, out); }
function reciprocalOf(n: i32, x: usize, out: usize): void { unary(Unary.RECIPROCAL, n, x, out); }
function absOf(n: i32, x: usize, out: usize): void { unary(Unary.ABS, n, x, out); }
function squareOf(n: i32, x: usize, out: usize): void { unary(Unary.SQUARE, n, x, out); }
function sigmoidOf(n: i32, x: usize, out: usize): void { unary(Unary.SIGMOID, n, x, out); }
function siluOf(n: i32, x: usize, out: usize): void { unary(Unary.SILU, n, x, out); }
function toFloatOf(n: i32, x: usize, out: usize): void { unary(Unary.TO_FLOAT, n, x, out); }
function toIntOf(n: i32, x: usize, out: usize): void { unary(Unary.TO_INT, n, x, out); }
function notOf(n: i32, x: usize, out: usize): void { unary(Unary.NOT, n, x, out); }

export function neg(n: i32, x: usize, out: usize): void { each(negOf, 0.25, n, x, out); }
export function exp(n: i32, x: usize, out: usize): void { each(expOf, 2, n, x, out); }
export function sqrt(n: i32, x: usize, out: usize): void { each(sqrtOf, 0.25, n, x, out); }
export function reciprocal(n: i32, x: usize, out: usize): void { each(reciprocalOf, 0.25, n, x, out); }
export function abs(n: i32, x: usize, out: usize): void { each(absOf, 0.25, n, x, out); }
export function square(n: i32, x: usize, out: usize): void { each(squareOf, 0.25, n, x, out); }
export function sigmoid(n: i32, x: usize, out: usize): void { each(sigmoidOf, 2, n, x, out); }
export function silu(n: i32, x: usize, out: usize): void { each(siluOf, 2, n, x, out); }
export function toFloat(n: i32, x: usize, out: usize): void { each(toFloatOf, 0.25, n, x, out); }
export function toInt(n: i32, x: usize, out: usize): void { each(toIntOf, 0.25, n, x, out); }
export function not(n: i32, x: usize, out: usize): void { each(notOf, 0.25, n, x, out); }

export function log(n: i32, x: usize, out: usize): void { each(logOf, 8, n, x, out); }

function logOf(n: i32, x: usize, out: usize): void {
  const end = x + (n << 2);
  for (; x < end; x += 4, out += 4) f32.store(out, <f32>Math.log(f32.load(x)));
}

export function clip(n: i32, x: usize, low: f32, high: f32, out: usize): void {
  put(0, x);
  put(1, reinterpret<u32>(low));
  put(2, reinterpret<u32>(high));
  put(3, out);
  run(clipPiece, n, 4, <f64>n / 4);
}

function clipPiece(from: i32, to: i32): void {
  const low = f32x4.splat(reinterpret<f32>(argument(1))), high = f32x4.splat(reinterpret<f32>(argument(2)));
  const end: usize = argument(0) + (to << 2);
  let x: usize = argument(0) + (from << 2), out: usize = argument(3) + (from << 2);
  for (; x < end; x += 16, out += 16) v128.store(out, f32x4.min(high, f32x4.max(low, v128.load(x))));
}

/** condition int32 0 or 1, all of one shape. */
export function where(n: i32, condition: usize, a: usize, b: usize, out: usize): void {
  put(0, condition);
  put(1, a);
  put(2, b);
  put(3, out);
  run(wherePiece, n, 4, <f64>n / 4);
}

function wherePiece(from: i32, to: i32): void {
  const end: usize = argument(0) + (to << 2);
  let condition: usize = argument(0) + (from << 2), out: usize = argument(3) + (from << 2);
  let a: usize = argument(1) + (from << 2), b: usize = argument(2) + (from << 2);
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

type BinaryKernel = (rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize) => void;

/** Runs a kernel on all rows; one long row is cut by columns. Rows that do not end with a vector are not shared. */
function pairs(kernel: BinaryKernel, rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  put(0, kernel.index);
  put(1, columns);
  put(2, a);
  put(3, aRow);
  put(4, aColumn);
  put(5, b);
  put(6, bRow);
  put(7, bColumn);
  put(8, out);
  const work = (<f64>rows * <f64>columns) / 4;
  if (rows == 1) run(pairsInRow, columns, 4, work);
  else run(pairsByRow, rows, 1, (columns & 3) == 0 ? work : 0);
}

function pairsByRow(from: i32, to: i32): void {
  const columns = argument(1), aRow = argument(3), bRow = argument(6);
  const a = argument(2) + from * aRow, b = argument(5) + from * bRow;
  call_indirect<void>(argument(0), to - from, columns, a, aRow, argument(4), b, bRow, argument(7), argument(8) + from * (columns << 2));
}

function pairsInRow(from: i32, to: i32): void {
  const aColumn = argument(4), bColumn = argument(7);
  const a = argument(2) + from * aColumn, b = argument(5) + from * bColumn;
  call_indirect<void>(argument(0), 1, to - from, a, 0, aColumn, b, 0, bColumn, argument(8) + (from << 2));
}

function addOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.ADD, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function add(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(addOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function subOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.SUB, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function sub(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(subOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function mulOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.MUL, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function mul(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(mulOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function divOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.DIV, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function div(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(divOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function maximumOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.MAX, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function maximum(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(maximumOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function minimumOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.MIN, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function minimum(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(minimumOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function equalOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.EQUAL, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function equal(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(equalOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function lessOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.LESS, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function less(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(lessOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function lessOrEqualOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.LESS_OR_EQUAL, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function lessOrEqual(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(lessOrEqualOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function equalIntOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.EQUAL_INT, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function equalInt(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(equalIntOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function addIntOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.ADD_INT, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function addInt(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(addIntOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function andOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.AND, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function and(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(andOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

function orOf(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  binary(Binary.OR, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}

export function or(rows: i32, columns: i32, a: usize, aRow: i32, aColumn: i32, b: usize, bRow: i32, bColumn: i32, out: usize): void {
  pairs(orOf, rows, columns, a, aRow, aColumn, b, bRow, bColumn, out);
}
