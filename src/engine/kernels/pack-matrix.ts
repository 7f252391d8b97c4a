/** The right side of a product in the panels that the kernel reads. */
import type { Heap } from "./heap.ts";
import { type Kernels, packedBytes } from "./module.ts";

export interface PackedMatrix {
  /** [K, N], or [N, K] where `transposed`. */
  readonly dims: readonly number[];
  readonly transposed: boolean;
  /** Where the matrix lies. */
  readonly address: number;
}

/** Packs a matrix into a fresh block; its address. */
export function packMatrix(
  heap: Heap,
  kernels: Kernels,
  { dims, transposed, address }: PackedMatrix,
): number {
  const [rows = 1, columns = 1] = dims;
  const [K, N] = transposed ? [columns, rows] : [rows, columns];
  const packed = heap.allocate(packedBytes(K, N));
  kernels.pack(K, N, address, transposed ? 4 : 4 * N, transposed ? 4 * K : 4, packed);
  return packed;
}
