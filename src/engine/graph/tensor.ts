/** Plain tensors outside a graph: what goes in and what comes out. Row-major, no strides. */

export type DType = "float32" | "int32" | "int64" | "bool" | "uint8";

export interface HostTensor {
  readonly dtype: DType;
  readonly dims: readonly number[];
  /** int64 as BigInt64Array, bool as Uint8Array of 0 and 1. */
  readonly data: Float32Array | Int32Array | BigInt64Array | Uint8Array;
}

/** The number of elements of a shape. */
export function sizeOf(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

export function float32(dims: readonly number[], data: Float32Array): HostTensor {
  return { dtype: "float32", dims, data };
}

export function int32(dims: readonly number[], data: Int32Array): HostTensor {
  return { dtype: "int32", dims, data };
}
