/**
 * The embedding and the head: tables [V, D] as one tensor or as consecutive chunks of rows, so that none exceeds what a
 * GPU lets a kernel bind (WebGPU promises 128 MiB; a float32 embedding of 151,936 x 1,024 has 594). Chunks are weights
 * of their own, named by their rows, and views of the model's tensor on the host.
 */
import type { Graph, Value } from "../graph/ir.ts";
import { abs, add, clip, mul, sub } from "../graph/ops/elementwise.ts";
import { gather } from "../graph/ops/gather.ts";
import { linear } from "../graph/ops/linear.ts";
import { cast } from "../graph/ops/logic.ts";
import { concat, reshape } from "../graph/ops/shape.ts";
import type { HostTensor } from "../graph/tensor.ts";
import type { ModelConfig } from "./model-config.ts";

/** Chunks in order of their rows, each [rows, D]. */
export type VocabularyTable = readonly Value[];

/** What WebGPU promises a kernel may bind (maxStorageBufferBindingSize): larger tables are cut. */
export const LARGEST_TABLE_BYTES = 128 * 2 ** 20;

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
  graph: Graph,
  name: string,
  shape: readonly [V: number, D: number],
  chunkRows: number | undefined,
): VocabularyTable {
  const [V, D] = shape;
  if (chunkRows === undefined || chunkRows >= V) return [graph.weight(name, "float32", [V, D])];
  return Array.from({ length: Math.ceil(V / chunkRows) }, (_, i) => {
    const start = i * chunkRows;
    const end = Math.min(V, start + chunkRows);
    return graph.weight(`${name}[${start}:${end}]`, "float32", [end - start, D]);
  });
}

const CHUNK_NAME = /^(.*)\[(\d+):(\d+)\]$/;

/** A model's weight by its own name, or a chunk of one by the name that `declareTable` gave it (a view, no copy). */
export function weightByName(weights: ReadonlyMap<string, HostTensor>, name: string): HostTensor | undefined {
  const [, base = name, start, end] = CHUNK_NAME.exec(name) ?? [];
  const whole = weights.get(base);
  if (!whole || start === undefined || end === undefined) return whole;
  const width = whole.dims[1] ?? 0;
  const data = whole.data.subarray(Number(start) * width, Number(end) * width);
  return { dtype: whole.dtype, dims: [Number(end) - Number(start), width], data };
}

/** Rows of a table: ids int32 [N] -> [N, D]. Where it is cut, each chunk gives its rows and zeros for the others'. */
export function tableRows(table: VocabularyTable, ids: Value): Value {
  const [only] = table;
  if (only && table.length === 1) return gather(only, ids, 0);
  const places = cast(ids, "float32"); // exact below 2^24
  return chunks(table)
    .map(({ chunk, start, rows }) => {
      const local = sub(places, start); // [N]
      const inside = clip(local, 0, rows - 1);
      const distance = abs(sub(local, inside)); // 0 on this chunk's rows, else at least 1
      const mine = sub(1, clip(distance, 0, 1));
      return mul(gather(chunk, cast(inside, "int32"), 0), reshape(mine, [...ids.dims, 1]));
    })
    .reduce((a, b) => add(a, b)); // [N, D]
}

/** hidden [R, D] -> logits [R, V]. */
export function tableLogits(table: VocabularyTable, hidden: Value): Value {
  return concat(
    table.map((chunk) => linear(hidden, chunk)),
    1,
  );
}

function chunks(table: VocabularyTable): { chunk: Value; start: number; rows: number }[] {
  let start = 0;
  return table.map((chunk) => {
    const rows = Number(chunk.dims[0]);
    const at = { chunk, start, rows };
    start += rows;
    return at;
  });
}
