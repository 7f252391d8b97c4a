/** The kernels' module (assembly/, built by scripts/kernels/build.ts): its exports, and which of its two builds runs here. */
import { FIRST, type Heap } from "./heap.ts";

type Unary = (n: number, x: number, out: number) => void;
/** rows, columns, then each operand with its row and column stride in bytes. */
type Binary = (
  ...args: readonly [
    rows: number,
    columns: number,
    a: number,
    aRow: number,
    aColumn: number,
    b: number,
    bRow: number,
    bColumn: number,
    out: number,
  ]
) => void;

/** With fused multiply-add, and for browsers without it. */
export type KernelBuild = "kernels-relaxed" | "kernels";

export type UnaryName =
  | "neg" | "exp" | "log" | "sqrt" | "reciprocal" | "abs" | "square" | "sigmoid" | "silu" | "toFloat" | "toInt" | "not"; // prettier-ignore
export type BinaryName =
  | "add" | "sub" | "mul" | "div" | "maximum" | "minimum" | "equal" | "less" | "lessOrEqual" | "equalInt" | "addInt" | "and" | "or"; // prettier-ignore

/** The module has room for so many; beyond it a small model's pieces of work would be too short for another one. */
export const MOST_THREADS = 4;

/** Addresses and strides in bytes; see the docstrings of assembly/. */
export interface Kernels extends Record<UnaryName, Unary>, Record<BinaryName, Binary> {
  readonly pack: (
    ...args: readonly [K: number, N: number, b: number, kStride: number, nStride: number, out: number]
  ) => void;
  readonly gemm: (
    ...args: readonly [
      M: number,
      N: number,
      K: number,
      a: number,
      rowStride: number,
      kStride: number,
      b: number,
      c: number,
      cStride: number,
      accumulate: boolean,
    ]
  ) => void;
  /** See the docstring of assembly/gemm.ts. */
  readonly products: (...args: readonly number[]) => void;
  /** See the docstrings of assembly/blocks.ts. */
  readonly blockGemm: (...args: readonly number[]) => void;
  readonly unpackBlocks: (...args: readonly number[]) => void;
  readonly clip: (...args: readonly [n: number, x: number, low: number, high: number, out: number]) => void;
  readonly where: (
    ...args: readonly [n: number, condition: number, a: number, b: number, out: number]
  ) => void;
  readonly maxRows: (rows: number, columns: number, x: number, out: number) => void;
  readonly sumRows: (
    ...args: readonly [rows: number, columns: number, x: number, scale: number, out: number]
  ) => void;
  readonly sumMiddle: (
    ...args: readonly [outer: number, middle: number, inner: number, x: number, scale: number, out: number]
  ) => void;
  readonly softmax: (rows: number, columns: number, x: number, out: number) => void;
  readonly rmsNorm: (
    ...args: readonly [rows: number, columns: number, x: number, weight: number, eps: number, out: number]
  ) => void;
  readonly cumSum: (rows: number, columns: number, x: number, out: number) => void;
  readonly rotary: (
    ...args: readonly [
      rows: number,
      columns: number,
      half: number,
      x: number,
      positions: number,
      cos: number,
      sin: number,
      out: number,
    ]
  ) => void;
  /** Four sizes, then the source with four strides, then the target with four. */
  readonly copy4: (...args: readonly number[]) => void;
  readonly fill: (n: number, value: number, out: number) => void;
  /** The first index out of range, or -1. */
  readonly gather: (
    ...args: readonly [n: number, bytes: number, limit: number, x: number, indices: number, out: number]
  ) => number;
  readonly pick: (
    ...args: readonly [rows: number, columns: number, x: number, indices: number, out: number]
  ) => number;
  readonly attend: (...args: readonly number[]) => void;
  readonly ownBytes: () => number;
  /** How many threads share the work, and whether this one may wait for the others without working. */
  readonly setThreads: (count: number, waits: boolean) => void;
  /** A helper's life, until `dismiss`. */
  readonly serve: (thread: number) => void;
  readonly dismiss: () => void;
  /** Pieces of work that helpers have computed. */
  readonly helpedPieces: () => number;
}

/** A module of 36 bytes with one relaxed instruction: valid where they are there. */
const RELAXED = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0],
  ...[65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
);

/** True where the build with relaxed SIMD runs: it fuses multiply and add, and is up to twice as fast. */
export function hasRelaxedSimd(): boolean {
  return WebAssembly.validate(RELAXED);
}

/** Bytes of B [K, N] once `pack` has laid it in panels of eight columns. */
export function packedBytes(K: number, N: number): number {
  return 4 * K * 8 * Math.ceil(N / 8);
}

/** @throws Error where the module's own data reaches into the heap */
export async function instantiateKernels(module: WebAssembly.Module, heap: Heap): Promise<Kernels> {
  const kernels = exportsOf(await WebAssembly.instantiate(module, importsOf(heap.memory)));
  if (kernels.ownBytes() > FIRST) throw new Error(`the kernels' own data reaches ${kernels.ownBytes()}`);
  return kernels;
}

export const exportsOf = ({ exports }: WebAssembly.Instance): Kernels => exports as unknown as Kernels;

export function importsOf(memory: WebAssembly.Memory): WebAssembly.Imports {
  const abort = (): never => {
    throw new Error("the kernels stopped");
  };
  return { env: { memory, abort } };
}
