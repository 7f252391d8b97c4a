/** Tensors of files as blocks: GGML's own are kept value by value, others rounded in parts as they would be whole. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixtureSource } from "../../testing/model-fixtures.ts";
import { type BlockTensor, dequantizeBlocks, isBlockTensor, quantizeBlocks } from "../graph/block-tensor.ts";
import { dequantise, restoreRows } from "./dequantise.ts";
import { loadModel } from "./load-model.ts";
import { storedWeight } from "./stored-weight.ts";
import { STORAGES, type WeightEntry } from "./weight-file.ts";

interface Case {
  readonly storage: string;
  readonly count: number;
  /** Base64. */
  readonly bytes: string;
}

const FIXTURE = new URL("../../testing/fixtures/gguf/blocks.json", import.meta.url);
const { blocks } = JSON.parse(readFileSync(FIXTURE, "utf8")) as { blocks: readonly Case[] };
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, "base64"));

/** A case's bytes as a matrix of rows of 256 values, repeated until it is read in several parts. */
function matrixOf(storage: string, rows: number): { entry: WeightEntry; bytes: Uint8Array<ArrayBuffer> } {
  const found = blocks.find((block) => block.storage === storage);
  if (!found) throw new Error(storage);
  const once = bytesOf(found.bytes);
  const rowBytes = (once.length / found.count) * 256;
  const bytes = new Uint8Array(rows * rowBytes);
  for (let at = 0; at < bytes.length; at += once.length) {
    bytes.set(once.subarray(0, bytes.length - at), at);
  }
  return { entry: { name: "t", shape: [rows, 256], storage, sizeBytes: bytes.length }, bytes };
}

function inBlocks(entry: WeightEntry, bytes: Uint8Array<ArrayBuffer>, bits: 4 | 8): BlockTensor {
  const tensor = storedWeight(entry, bytes, "file", bits);
  if (!isBlockTensor(tensor)) throw new Error("plain");
  return tensor;
}

describe("storedWeight", () => {
  it.each([
    ["Q8_0", 8],
    ["Q4_0", 4],
    ["Q4_0", 8],
  ] as const)("takes %s over in %i bits, bit for bit", (storage, bits) => {
    const { entry, bytes } = matrixOf(storage, 3);
    expect(dequantizeBlocks(inBlocks(entry, bytes, bits))).toEqual(dequantise(entry, bytes, "file"));
  });

  const rounded = STORAGES.filter((storage) => !["F32", "Q8_0", "Q4_0"].includes(storage));
  it.each(rounded)("rounds %s anew", (storage) => {
    const { entry, bytes } = matrixOf(storage, 3);
    const whole = quantizeBlocks(dequantise(entry, bytes, "file"), [3, 256], 8);
    expect(inBlocks(entry, bytes, 8)).toEqual(whole);
  });

  it("rounds in parts as if it were whole", () => {
    const { entry, bytes } = matrixOf("BF16", 5000);
    const got = inBlocks(entry, bytes, 8);
    const whole = quantizeBlocks(dequantise(entry, bytes, "file"), [5000, 256], 8);
    expect(Buffer.compare(got.data, whole.data)).toBe(0);
    expect(Buffer.compare(Buffer.from(got.scales.buffer), Buffer.from(whole.scales.buffer))).toBe(0);
  });

  it("puts the rows of llama's heads back, scales with them", () => {
    const { entry, bytes } = matrixOf("Q8_0", 8);
    const plain = restoreRows(dequantise(entry, bytes, "file"), entry.shape, 2);
    expect(dequantizeBlocks(inBlocks({ ...entry, permutedHeads: 2 }, bytes, 8))).toEqual(plain);
  });

  it("names a tensor whose scales are no numbers, or that has too few bytes", () => {
    const { entry, bytes } = matrixOf("Q8_0", 8);
    const infinite = bytes.slice();
    infinite.set([0, 0x7c], (bytes.length / 8) * 3);
    expect(() => inBlocks(entry, infinite, 8)).toThrow(
      "file: t: expected finite numbers, got Infinity in row 3",
    );
    expect(() => inBlocks(entry, bytes.subarray(1), 8)).toThrow("bytes of Q8_0");
  });
});

describe("loadModel", () => {
  it.each(["q8", "q4"] as const)("holds every matrix as %s and every vector as it is", async (storage) => {
    const plain = await loadModel(fixtureSource("qwen2"));
    const model = await loadModel(fixtureSource("qwen2"), undefined, undefined, storage);
    expect([...model.weights.keys()]).toEqual([...plain.weights.keys()]);
    for (const [name, weight] of model.weights) {
      const other = plain.weights.get(name);
      if (!other || isBlockTensor(other)) throw new Error(name);
      const [N = 0, K = 0] = other.dims;
      if (other.dims.length < 2) expect(weight).toEqual(other);
      else
        expect(weight).toEqual(quantizeBlocks(other.data as Float32Array, [N, K], storage === "q8" ? 8 : 4));
    }
  });
});
