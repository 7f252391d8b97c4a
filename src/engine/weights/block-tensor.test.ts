/** Blocks rounded as the `gguf` package rounds them (scripts/fixtures/make_block_fixtures.py), and what they stand for. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dequantizeBlocks, isBlockTensor, quantizeBlocks } from "../graph/block-tensor.ts";
import { storedWeight } from "./stored-weight.ts";

interface Fixture {
  readonly shape: readonly [number, number];
  /** Base64 of float32. */
  readonly values: string;
  /** Base64 of blocks. */
  readonly Q8_0: string;
  readonly Q4_0: string;
}

const FIXTURE = new URL("../../testing/fixtures/gguf/quantised.json", import.meta.url);
const fixture = JSON.parse(readFileSync(FIXTURE, "utf8")) as Fixture;
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, "base64"));
const values = new Float32Array(bytesOf(fixture.values).buffer);

const FORMS = [
  ["Q8_0", 8],
  ["Q4_0", 4],
] as const;

describe("quantizeBlocks", () => {
  it.each(FORMS)(
    "rounds to the integers of %s, with scales that are not rounded to float16",
    (storage, bits) => {
      const ours = quantizeBlocks(values, fixture.shape, bits);
      const entry = { name: "t", shape: fixture.shape, storage, sizeBytes: 0 };
      const theirs = storedWeight(entry, bytesOf(fixture[storage]), "file", bits);
      if (!isBlockTensor(theirs)) throw new Error("plain");
      expect(ours.data).toEqual(theirs.data);
      ours.scales.forEach((scale, i) => {
        expect(Math.abs(scale - (theirs.scales[i] ?? NaN))).toBeLessThanOrEqual(
          Math.abs(scale) * 2 ** -11 + 2 ** -25,
        );
      });
      expect(new Set(ours.data).size).toBeGreaterThan(100);
    },
  );

  it.each([
    [8, 0.5],
    [4, 1],
  ] as const)("is off by at most %i bits' step times %f, in rows that end within a block", (bits, steps) => {
    const [N, K] = [5, 75];
    const some = values.subarray(0, N * K);
    const blocks = quantizeBlocks(some, [N, K], bits);
    expect(blocks.data.length).toBe((N * 3 * 32 * bits) / 8);
    expect(blocks.scales.length).toBe(N * 3);
    const back = dequantizeBlocks(blocks);
    expect(back.length).toBe(N * K);
    some.forEach((value, i) => {
      const scale = blocks.scales[3 * Math.floor(i / K) + Math.floor((i % K) / 32)] ?? NaN;
      expect(Math.abs((back[i] ?? NaN) - value)).toBeLessThanOrEqual(Math.abs(scale) * steps * (1 + 1e-6));
    });
    expect(back.some((value, i) => value !== some[i])).toBe(true);
  });

  it("gives the values back that a block can hold", () => {
    const eight = Float32Array.from({ length: 32 }, (_, i) => (i - 16) * 0.25);
    eight[31] = 127 * 0.25;
    expect(dequantizeBlocks(quantizeBlocks(eight, [1, 32], 8))).toEqual(eight);
    const four = Float32Array.from({ length: 32 }, (_, i) => ((i % 16) - 8) * -3);
    const blocks = quantizeBlocks(four, [1, 32], 4);
    expect(blocks.scales).toEqual(Float32Array.of(-3));
    expect([...blocks.data.subarray(0, 2)]).toEqual([0x10, 0x32]); // the earlier value in the low half
    expect(dequantizeBlocks(blocks)).toEqual(four);
  });
});
