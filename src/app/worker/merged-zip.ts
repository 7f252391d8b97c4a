/** A merged model as one zip for a folder that transformers loads, put together part by part: a Blob may lie on the disk. */
import { strToU8, Zip, ZipPassThrough } from "fflate";
import { PlaygroundError } from "../../base/errors.ts";
import type { MergedDtype } from "../../engine/weights/merged-model.ts";

export interface MergedModel {
  readonly dtype: MergedDtype;
  /** Of model.safetensors. */
  readonly sizeBytes: number;
  /** The small files, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** model.safetensors, part by part. */
  readonly weights: Iterable<Uint8Array>;
}

/** A zip's sizes are 32 bits, without the extension that fflate does not write. */
const MOST_BYTES = 2 ** 32 - 2 ** 20;
const MTIME = new Date(1980, 0, 2);

/**
 * `turn` is waited for between two tensors.
 * @throws PlaygroundError `storage-full` above 4 GB
 */
export async function zipMerged(model: MergedModel, turn: () => Promise<void>): Promise<Blob> {
  if (model.sizeBytes > MOST_BYTES) throw tooLarge(model.sizeBytes);
  const parts: Blob[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    parts.push(new Blob([new Uint8Array(chunk)])); // a copy: the part may be a view of the model's own memory
  });
  for (const [name, text] of Object.entries(model.files)) {
    const file = added(zip, name);
    file.push(strToU8(text), true);
  }
  const file = added(zip, "model.safetensors");
  for (const part of model.weights) {
    file.push(part);
    await turn();
  }
  file.push(new Uint8Array(), true);
  zip.end();
  return new Blob(parts, { type: "application/zip" });
}

function added(zip: Zip, name: string): ZipPassThrough {
  const file = new ZipPassThrough(name);
  file.mtime = MTIME;
  zip.add(file);
  return file;
}

function tooLarge(bytes: number): PlaygroundError {
  return new PlaygroundError({
    code: "storage-full",
    where: "model.safetensors",
    expected: "at most 4 GB, which is what a zip holds",
    got: `${(bytes / 1e9).toFixed(1)} GB`,
    next: "Choose BF16, or merge with npm run experiment -- … --merged FOLDER.",
  });
}
