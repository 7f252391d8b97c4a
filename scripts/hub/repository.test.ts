import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRepositories } from "./repository.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hub-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** As huggingface_hub keeps a model: files of a snapshot are links to blobs. */
function cached(): string {
  const blobs = join(folder, "blobs");
  const snapshot = join(folder, "snapshots", "c0ffee");
  mkdirSync(blobs);
  mkdirSync(join(snapshot, "onnx"), { recursive: true });
  for (const [path, text] of [
    ["config.json", "{}"],
    ["onnx/model.onnx", "onnx"],
  ] as const) {
    const blob = join(blobs, path.replace("/", "-"));
    writeFileSync(blob, text);
    symlinkSync(blob, join(snapshot, path));
  }
  return snapshot;
}

test("links are served as what they lead to: a snapshot of huggingface_hub's cache, and a linked folder", async () => {
  const snapshot = cached();
  const hub = join(folder, "hub", "someone");
  mkdirSync(hub, { recursive: true });
  symlinkSync(snapshot, join(hub, "small"));
  symlinkSync(join(folder, "gone"), join(hub, "broken"));
  const [direct] = await readRepositories(snapshot);
  const linked = await readRepositories(join(folder, "hub"));
  expect(direct?.id).toBe("local/c0ffee");
  expect(linked.map(({ id }) => id)).toEqual(["someone/small"]);
  for (const repository of [direct, ...linked])
    expect([...(repository?.files.values() ?? [])].map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
      ["config.json", 2],
      ["onnx/model.onnx", 4],
    ]);
});
