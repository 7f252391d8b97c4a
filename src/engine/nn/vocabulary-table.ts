/**
 * The embedding and the head: tables [V, D] as one tensor or as consecutive chunks of rows, so that none exceeds what a
 * GPU lets a kernel bind (WebGPU promises 128 MiB; a float32 embedding of 151,936 x 1,024 has 594). Chunks are weights
 * of their own, named by their rows, and views of the model's tensor on the host (base-matrix.ts).
 */
import type { Value } from "../graph/ir.ts";
import { abs, add, clip, mul, sub } from "../graph/ops/elementwise.ts";
import { cast } from "../graph/ops/logic.ts";
import { concat, reshape } from "../graph/ops/shape.ts";
import { type BaseMatrix, matrixProduct, matrixRows } from "./base-matrix.ts";
import type { ModelConfig, WeightSpec } from "./model-config.ts";

/** Chunks in order of their rows, each [rows, D]. */
export type VocabularyTable = readonly BaseMatrix[];

/** What WebGPU promises a kernel may bind (maxStorageBufferBindingSize): larger tables are cut. */
export const LARGEST_TABLE_BYTES = 128 * 2 ** 20;

/**
 * The same where tables are in blocks: a product with a chunk holds its float32 numbers for a moment, on every provider, and
 * those of a whole table would be four to eight times the table.
 */
export const LARGEST_BLOCK_TABLE_BYTES = 32 * 2 ** 20;

/**
 * Bytes of one chunk: a quarter of a binding, so that the logits of up to 4 D rows over one chunk fit a binding too.
 */
const CHUNK_SHARE = 1 / 4;

/** Rows of one chunk of a model's tables; undefined where the whole table fits `largestBytes`. */
export function tableChunkRows(
  { vocabSize: V, hiddenSize: D }: Pick<ModelConfig, "vocabSize" | "hiddenSize">,
  largestBytes: number = LARGEST_TABLE_BYTES,
): number | undefined {
  if (4 * V * D <= largestBytes) return undefined;
  return Math.max(1, Math.floor((largestBytes * CHUNK_SHARE) / (4 * D)));
}

/** Declares a table [V, D] in chunks of `chunkRows` rows (the last may be shorter), or whole. */
export function declareTable(
  declare: (spec: WeightSpec) => BaseMatrix,
  { name, shape }: WeightSpec,
  chunkRows: number | undefined,
): VocabularyTable {
  const [V = 0, D = 0] = shape;
  if (chunkRows === undefined || chunkRows >= V) return [declare({ name, shape })];
  return Array.from({ length: Math.ceil(V / chunkRows) }, (_, i) => {
    const start = i * chunkRows;
    const end = Math.min(V, start + chunkRows);
    return declare({ name: `${name}[${start}:${end}]`, shape: [end - start, D] });
  });
}

/** Rows of a table: ids int32 [N] -> [N, D]. Where it is cut, each chunk gives its rows and zeros for the others'. */
export function tableRows(table: VocabularyTable, ids: Value): Value {
  const [only] = table;
  if (only && table.length === 1) return matrixRows(only, ids);
  const places = cast(ids, "float32"); // exact below 2^24
  return chunks(table)
    .map(({ chunk, start, rows }) => {
      const local = sub(places, start); // [N]
      const inside = clip(local, 0, rows - 1);
      const distance = abs(sub(local, inside)); // 0 on this chunk's rows, else at least 1
      const mine = sub(1, clip(distance, 0, 1));
      return mul(matrixRows(chunk, cast(inside, "int32")), reshape(mine, [...ids.dims, 1]));
    })
    .reduce((a, b) => add(a, b)); // [N, D]
}

/** hidden [R, D] -> logits [R, V]. */
export function tableLogits(table: VocabularyTable, hidden: Value): Value {
  return concat(
    table.map((chunk) => matrixProduct(hidden, chunk)),
    1,
  );
}

function chunks(table: VocabularyTable): { chunk: BaseMatrix; start: number; rows: number }[] {
  let start = 0;
  return table.map((chunk) => {
    const rows = Number(chunk.dims[0]);
    const at = { chunk, start, rows };
    start += rows;
    return at;
  });
}
