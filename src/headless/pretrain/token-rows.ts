/** Reads the encoded corpus (its format is in scripts/model/encode_corpus.py) and cuts it into batches of like length. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { shuffled, type Rng } from "../../base/rng.ts";

const tableSchema = z.object({ name: z.string(), file: z.string(), rows: z.int(), tokens: z.int() });
const manifestSchema = z.object({
  rowLength: z.int(),
  padId: z.int(),
  eosId: z.int(),
  vocabSize: z.int(),
  phases: z.array(tableSchema).min(1),
  heldOut: tableSchema,
});
export type CorpusManifest = z.infer<typeof manifestSchema>;

/** One chat: all its ids, and where the reply starts. */
export interface TokenRow {
  readonly ids: Uint16Array;
  readonly replyStart: number;
}

export function readManifest(folder: string): CorpusManifest {
  return manifestSchema.parse(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")));
}

/** All rows of one table, in training order. */
export function readRows(folder: string, file: string, rowLength: number): TokenRow[] {
  const bytes = readFileSync(join(folder, file));
  const words = new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const width = rowLength + 2;
  return Array.from({ length: words.length / width }, (_, i) => {
    const [replyStart = 0, length = 0] = words.subarray(i * width, i * width + 2);
    return { replyStart, ids: words.subarray(i * width + 2, i * width + 2 + length) };
  });
}

/** Batches of `size` rows that are alike in length; the order of rows is kept within windows of 16 batches. */
export function batchesOf(rows: readonly TokenRow[], size: number, rng: Rng): TokenRow[][] {
  const batches: TokenRow[][] = [];
  const window = size * 16;
  for (let start = 0; start + size <= rows.length; start += window) {
    const sorted = rows.slice(start, start + window).sort((a, b) => a.ids.length - b.ids.length);
    const cut: TokenRow[][] = [];
    for (let i = 0; i + size <= sorted.length; i += size) cut.push(sorted.slice(i, i + size));
    batches.push(...shuffled(cut, rng));
  }
  return batches;
}
