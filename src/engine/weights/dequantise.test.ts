/** Every storage bit for bit as the `gguf` package reads it; the fixture is made by scripts/fixtures/make_gguf_fixtures.py. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dequantise, restoreRows } from "./dequantise.ts";
import { STORAGES } from "./weight-file.ts";

interface Case {
  readonly storage: string;
  readonly count: number;
  /** Base64. */
  readonly bytes: string;
  /** Base64 of float32. */
  readonly values: string;
}

const FIXTURE = new URL("../../testing/fixtures/gguf/blocks.json", import.meta.url);
const { blocks } = JSON.parse(readFileSync(FIXTURE, "utf8")) as { blocks: readonly Case[] };
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, "base64"));
const bits = (values: Float32Array): Uint32Array =>
  new Uint32Array(values.buffer, values.byteOffset, values.length);

describe("dequantise", () => {
  it.each(blocks)("reads $storage bit for bit as gguf does", ({ storage, count, bytes, values }) => {
    const expected = new Float32Array(bytesOf(values).buffer);
    const got = dequantise({ name: "t", shape: [count], storage }, bytesOf(bytes), "file");
    expect(bits(got)).toEqual(bits(expected));
    expect(new Set(expected).size).toBeGreaterThan(16);
  });

  it("has a case for every storage but F32, which is taken as it lies", () => {
    expect(blocks.map(({ storage }) => storage).sort()).toEqual(STORAGES.filter((s) => s !== "F32").sort());
    const values = Float32Array.of(1, -0.5, 3e-8);
    const shifted = new Uint8Array(13);
    shifted.set(new Uint8Array(values.buffer), 1);
    expect(dequantise({ name: "t", shape: [3], storage: "F32" }, shifted.subarray(1), "file")).toEqual(
      values,
    );
  });

  it("names the tensor whose numbers are no numbers, too few, or in a form that it does not know", () => {
    const tensor = { name: "t", shape: [32], storage: "Q8_0" };
    const infinite = new Uint8Array(34);
    infinite.set([0, 0x7c]); // d = Infinity
    infinite[2] = 1;
    expect(() => dequantise(tensor, infinite, "file")).toThrow("file: t: expected finite numbers");
    expect(() => dequantise(tensor, new Uint8Array(33), "file")).toThrow(
      "file: t: expected 34 bytes of Q8_0, got 33",
    );
    expect(() => dequantise({ ...tensor, shape: [33] }, new Uint8Array(34), "file")).toThrow("whole blocks");
    expect(() => dequantise({ ...tensor, storage: "Q3_K" }, new Uint8Array(34), "file")).toThrow("got Q3_K");
  });
});

describe("restoreRows", () => {
  it("puts the pairs of each head back into halves", () => {
    const rows = Float32Array.of(0, 4, 1, 5, 2, 6, 3, 7); // two heads of four rows, one number a row
    expect([...restoreRows(rows, [8], 1)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([...restoreRows(rows, [4, 2], 1)]).toEqual([0, 4, 2, 6, 1, 5, 3, 7]);
    expect([...restoreRows(rows, [8], 2)]).toEqual([0, 1, 4, 5, 2, 3, 6, 7]);
  });
});
