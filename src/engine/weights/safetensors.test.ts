import { describe, expect, it } from "vitest";
import { readFixture, readTensors } from "../../testing/model-fixtures.ts";
import type { HostTensor } from "../graph/tensor.ts";
import { parseSafetensors, toFloat32, writeSafetensors } from "./safetensors.ts";

/** A file from header text and data; the length is the header's unless `headerBytes` says otherwise. */
function fileOf(header: string | object, dataBytes: number | Uint8Array, headerBytes?: bigint): Uint8Array {
  const json = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const data = typeof dataBytes === "number" ? new Uint8Array(dataBytes) : dataBytes;
  const file = new Uint8Array(8 + json.length + data.length);
  new DataView(file.buffer).setBigUint64(0, headerBytes ?? BigInt(json.length), true);
  file.set(json, 8);
  file.set(data, 8 + json.length);
  return file;
}

const entry = (dtype: string, shape: unknown, ...data_offsets: number[]): object => ({
  dtype,
  shape,
  data_offsets,
});
const fail = (file: Uint8Array) => () => parseSafetensors(file, "m.safetensors");

describe("parseSafetensors", () => {
  it("reads what torch widened, bit by bit, for every dtype, subnormals included", () => {
    const file = readFixture("dtypes.safetensors");
    const { entries } = parseSafetensors(file, "dtypes");
    const values = readTensors("dtypes.safetensors");
    const bits = (name: string): number[] => [
      ...new Uint32Array((values.get(name)?.data as Float32Array).buffer),
    ];
    expect(entries.get("f16")?.dtype).toBe("F16");
    expect(entries.get("bf16")?.dtype).toBe("BF16");
    expect(bits("f16")).toEqual(bits("f16.float32"));
    expect(bits("bf16")).toEqual(bits("bf16.float32"));
    expect(values.get("f32")?.data).toEqual(Float32Array.of(0.1, -3.4e38, 1e-45, 7));
  });

  it("reads F32 at an offset that is no multiple of 4, and a file inside a larger buffer", () => {
    const values = Float32Array.of(1.5, -2.25);
    const data = Uint8Array.of(7, ...new Uint8Array(values.buffer));
    const file = fileOf({ flag: entry("U8", [1], 0, 1), x: entry("F32", [2], 1, 9) }, data);
    const shifted = new Uint8Array(file.length + 3);
    shifted.set(file, 3);
    for (const bytes of [file, shifted.subarray(3)]) {
      const x = parseSafetensors(bytes, "odd").entries.get("x");
      expect(x && toFloat32(x, "odd").data).toEqual(values);
    }
  });

  it("accepts scalars, empty tensors, padding after the header and metadata", () => {
    const header = {
      __metadata__: { format: "pt" },
      scalar: entry("F32", [], 0, 4),
      none: entry("F32", [0, 3], 4, 4),
    };
    const { entries, metadata } = parseSafetensors(fileOf(`${JSON.stringify(header)}   `, 4), "m");
    expect(entries.get("scalar")?.shape).toEqual([]);
    expect(entries.get("none")?.bytes.length).toBe(0);
    expect(metadata).toEqual({ format: "pt" });
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["an empty file", new Uint8Array(0), /at least 8 bytes, got 0/],
    ["a header longer than the file", fileOf("{}", 0, 999n), /a header of 999 bytes, got a file that ends/],
    ["an absurd header length", fileOf("{}", 0, 2n ** 63n), /header of at most 100000000 bytes/],
    [
      "an HTML page",
      new TextEncoder().encode("<!DOCTYPE html><html><body>404</body></html>"),
      /header of at most/,
    ],
    ["a header cut off", fileOf('{"x": {"dtype"', 0), /header in JSON/],
    ["a header that is a list", fileOf("[]", 0), /JSON object as header/],
    ["bytes that are not UTF-8", fileOf("{}", 0).fill(0xff, 8), /header in JSON/],
    [
      "a tensor named twice",
      fileOf(
        '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        1,
      ),
      /m\.safetensors: a: expected each tensor once/,
    ],
    ["metadata that is no text", fileOf({ __metadata__: { n: 1 } }, 0), /__metadata__/],
    [
      "an unknown dtype",
      fileOf({ x: entry("F12", [1], 0, 4) }, 4),
      /m\.safetensors: x: expected a dtype.*got F12/,
    ],
    ["a negative size", fileOf({ x: entry("F32", [-1], 0, 4) }, 4), /x: expected dtype, shape/],
    ["a fractional size", fileOf({ x: entry("F32", [0.5], 0, 2) }, 2), /x: expected dtype, shape/],
    ["three offsets", fileOf({ x: entry("F32", [1], 0, 4, 8) }, 8), /x: expected dtype, shape/],
    ["an extra field", fileOf({ x: { ...entry("F32", [1], 0, 4), more: 1 } }, 4), /x: expected dtype, shape/],
    ["offsets in the wrong order", fileOf({ x: entry("F32", [1], 4, 0) }, 4), /x: expected offsets in order/],
    [
      "offsets past the end",
      fileOf({ x: entry("F32", [2], 0, 8) }, 4),
      /x: expected offsets within the 4 bytes/,
    ],
    [
      "overlapping tensors",
      fileOf({ a: entry("F32", [2], 0, 8), b: entry("F32", [1], 4, 8) }, 8),
      /b: expected offsets from 8 on/,
    ],
    [
      "a gap",
      fileOf({ a: entry("F32", [1], 0, 4), b: entry("F32", [1], 8, 12) }, 12),
      /b: expected no gap: offsets from 4/,
    ],
    ["a shape of other size", fileOf({ x: entry("F32", [3], 0, 8) }, 8), /x: expected 12 bytes.*got 8/],
    ["bytes left over", fileOf({ x: entry("F32", [1], 0, 4) }, 9), /expected 4 bytes of tensors.*got 9/],
  ])("refuses %s", (_name, file, message) => {
    expect(fail(file)).toThrow(message);
    expect(fail(file)).toThrow(expect.objectContaining({ code: "model-broken" }));
  });
});

describe("toFloat32", () => {
  const read = (dtype: string, shape: number[], data: Uint8Array): HostTensor => {
    const { entries } = parseSafetensors(fileOf({ w: entry(dtype, shape, 0, data.length) }, data), "m");
    const w = entries.get("w");
    if (!w) throw new Error("w is missing");
    return toFloat32(w, "m");
  };

  it.each(["I32", "F64", "F8_E4M3", "U8"])("refuses %s by the tensor's name", (dtype) => {
    const bytes = { I32: 4, F64: 8 }[dtype] ?? 1;
    expect(() => read(dtype, [1], new Uint8Array(bytes))).toThrow(
      `m: w: expected F32, F16 or BF16 numbers, got ${dtype}`,
    );
  });

  it.each<[string, string, Uint8Array, string]>([
    ["NaN", "F32", new Uint8Array(Float32Array.of(1, NaN).buffer), "NaN at element 1"],
    ["an infinity", "F32", new Uint8Array(Float32Array.of(-Infinity, 0).buffer), "-Infinity at element 0"],
    ["a half NaN", "F16", new Uint8Array(Uint16Array.of(0, 0x7e00).buffer), "NaN at element 1"],
    ["a half infinity", "F16", new Uint8Array(Uint16Array.of(0xfc00, 0).buffer), "-Infinity at element 0"],
    ["a bfloat NaN", "BF16", new Uint8Array(Uint16Array.of(0, 0x7fc0).buffer), "NaN at element 1"],
  ])("refuses %s", (_name, dtype, data, message) => {
    expect(() => read(dtype, [2], data)).toThrow(`m: w: expected finite numbers, got ${message}`);
  });

  it("copies: the file may be dropped or changed afterwards", () => {
    const data = new Uint8Array(Float32Array.of(3).buffer);
    const file = fileOf({ w: entry("F32", [1], 0, 4) }, data);
    const w = parseSafetensors(file, "m").entries.get("w");
    const tensor = w && toFloat32(w, "m");
    file.fill(0);
    expect(tensor?.data[0]).toBe(3);
  });
});

describe("writeSafetensors", () => {
  it("writes what it reads, with aligned data", () => {
    const tensors = new Map<string, HostTensor>([
      ["naïve", { dtype: "float32", dims: [2, 1], data: Float32Array.of(0.1, -2) }],
      ["ids", { dtype: "int32", dims: [3], data: Int32Array.of(1, -2, 3) }],
    ]);
    const file = writeSafetensors(tensors, { format: "pt", note: "x" });
    const { entries, metadata } = parseSafetensors(file, "m");
    expect(metadata).toEqual({ format: "pt", note: "x" });
    expect([...entries.keys()]).toEqual(["naïve", "ids"]);
    const first = entries.get("naïve");
    expect(first && toFloat32(first, "m")).toEqual(tensors.get("naïve"));
    expect([...new Int32Array(entries.get("ids")?.bytes.slice().buffer ?? new ArrayBuffer(0))]).toEqual([
      1, -2, 3,
    ]);
    expect((first?.bytes.byteOffset ?? 1) % 8).toBe(0);
  });

  it("refuses a shape that the data does not fill", () => {
    const wrong: HostTensor = { dtype: "float32", dims: [3], data: Float32Array.of(1, 2) };
    expect(() => writeSafetensors(new Map([["w", wrong]]))).toThrow("w: expected 3 values for [3], got 2");
  });
});
