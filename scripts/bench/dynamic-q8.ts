/**
 * Products of the peer's model in 8 bits, as onnxruntime's `quantize_dynamic` leaves them: a matrix as int8 with one scale a
 * column (`per_channel`), the other side rounded to uint8 in each run, MatMulInteger, and the scales multiplied in afterwards.
 */
import { FLOAT, INT8, type OnnxGraph } from "./onnx-writer.ts";

/** A matrix [K, N] as int8, row by row, and a scale for each column. */
interface Int8Matrix {
  readonly dims: readonly [K: number, N: number];
  readonly data: Int8Array;
  /** [N]. */
  readonly scales: Float32Array;
}

/** w [N, K], row by row, as w^T [K, N]: the largest magnitude of a row of w becomes 127. */
export function int8Matrix(w: Float32Array, [N, K]: readonly [number, number]): Int8Matrix {
  const data = new Int8Array(K * N);
  const scales = new Float32Array(N);
  for (let n = 0; n < N; n++) {
    const row = w.subarray(n * K, (n + 1) * K);
    let largest = 0;
    for (let k = 0; k < K; k++) largest = Math.max(largest, Math.abs(row[k] ?? 0));
    const scale = Math.fround(largest / 127);
    scales[n] = scale;
    if (scale === 0) continue;
    for (let k = 0; k < K; k++) data[k * N + n] = Math.round((row[k] ?? 0) / scale);
  }
  return { dims: [K, N], data, scales };
}

/** Writes a matrix's int8 numbers, scales and zero points. */
export function writeInt8(graph: OnnxGraph, name: string, { dims, data, scales }: Int8Matrix): void {
  graph.tensor(`${name}_quantized`, INT8, dims, data);
  graph.tensor(`${name}_scale`, FLOAT, [scales.length], scales);
  graph.tensor(`${name}_zero_point`, INT8, [scales.length], new Int8Array(scales.length));
}

/** Products with matrices of `writeInt8`; each left side is rounded once. */
export class DynamicProducts {
  readonly #graph: OnnxGraph;
  readonly #rounded = new Set<string>();

  constructor(graph: OnnxGraph) {
    this.#graph = graph;
  }

  /** x [..., K] times the matrix -> `out` [..., N]. */
  product(x: string, matrix: string, out: string): string {
    const graph = this.#graph;
    const [rounded, scale, zero] = [`${x}_quantized`, `${x}_scale`, `${x}_zero_point`];
    if (!this.#rounded.has(x)) graph.node("DynamicQuantizeLinear", [x], [rounded, scale, zero]);
    this.#rounded.add(x);
    const whole = graph.node(
      "MatMulInteger",
      [rounded, `${matrix}_quantized`, zero, `${matrix}_zero_point`],
      [`${out}_int32`],
    );
    const float = graph.node("Cast", [whole], [`${out}_float`], { to: { int: FLOAT } });
    const scales = graph.node("Mul", [scale, `${matrix}_scale`], [`${out}_scales`]);
    return graph.node("Mul", [float, scales], [out]);
  }
}

/**
 * Rows of an embedding that is the head's matrix [D, V] too: ids [B, S] -> `out` [B, S, D]. Kept once, the model is a fifth
 * smaller.
 */
export function int8Rows(graph: OnnxGraph, matrix: string, ids: string, out: string): string {
  const columns = graph.node("Gather", [`${matrix}_quantized`, ids], [`${out}_columns`], {
    axis: { int: 1 },
  });
  const scales = graph.node("Gather", [`${matrix}_scale`, ids], [`${out}_scale`]); // [B, S]
  const last = graph.ints(`${out}_last`, [2]);
  const rows = graph.node("Transpose", [columns], [`${out}_rows`], { perm: { ints: [1, 2, 0] } });
  const float = graph.node("Cast", [rows], [`${out}_float`], { to: { int: FLOAT } });
  return graph.node("Mul", [float, graph.node("Unsqueeze", [scales, last], [`${out}_scales`])], [out]);
}
