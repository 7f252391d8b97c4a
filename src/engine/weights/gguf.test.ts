/** GGUF models made by the `gguf` package from the fixture models (scripts/fixtures/make_gguf_fixtures.py). */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FIXTURE_MODELS, fixtureSource } from "../../testing/model-fixtures.ts";
import { createTextCodec } from "../text/tokenizer.ts";
import { loadModel } from "./load-model.ts";
import { type ModelSource, wholeFile } from "./model-source.ts";

const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../testing/fixtures/gguf/${name}.gguf`, import.meta.url)));

/** A source of one GGUF file that counts what is read of it. */
function sourceOf(bytes: Uint8Array, reads: number[] = []): ModelSource {
  const file = wholeFile("model.gguf", bytes);
  return {
    name: "tiny",
    read: () => Promise.resolve(null),
    list: () => Promise.resolve(["README.md", "model.gguf"]),
    open: () =>
      Promise.resolve({
        ...file,
        read: (start, end) => {
          reads.push(end - start);
          return file.read(start, end);
        },
      }),
  };
}

const text = new TextEncoder();
/** The file with the first occurrence of a text replaced by one of the same length. */
function changed(name: string, from: string, to: string): Uint8Array {
  const bytes = read(name).slice();
  const at = Buffer.from(bytes).indexOf(from);
  if (at === -1 || from.length !== to.length) throw new Error(`${from} is not there`);
  bytes.set(text.encode(to), at);
  return bytes;
}

/** Where a tensor's offset stands: behind its name, dimensions (two here) and type. */
function offsetPlace(bytes: Uint8Array, name: string): number {
  return Buffer.from(bytes).indexOf(name) + name.length + 4 + 2 * 8 + 4;
}
const offsetOf = (view: DataView, name: string): bigint =>
  view.getBigUint64(offsetPlace(new Uint8Array(view.buffer), name), true);

function withOffset(bytes: Uint8Array, name: string, offset: bigint): Uint8Array {
  new DataView(bytes.buffer).setBigUint64(offsetPlace(bytes, name), offset, true);
  return bytes;
}

/** One more value in front of all others; where the tensors' bytes begin is no longer right. */
function withValue(bytes: Uint8Array, key: string, type: number, value: readonly number[]): Uint8Array {
  const count = Number(new DataView(bytes.buffer).getBigUint64(16, true));
  const entry = new Uint8Array(8 + key.length + 4 + value.length);
  new DataView(entry.buffer).setBigUint64(0, BigInt(key.length), true);
  entry.set(text.encode(key), 8);
  new DataView(entry.buffer).setUint32(8 + key.length, type, true);
  entry.set(value, 12 + key.length);
  const out = new Uint8Array([...bytes.subarray(0, 24), ...entry, ...bytes.subarray(24)]);
  new DataView(out.buffer).setBigUint64(16, BigInt(count + 1), true);
  return out;
}

/** 20,000 lists of one list each: deeper than a stack. */
const nested = (bytes: Uint8Array): Uint8Array =>
  withValue(bytes, "x", 9, Array.from({ length: 20_000 }, () => [9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).flat());

describe("a GGUF model", () => {
  it.each(FIXTURE_MODELS)("is the same %s model as its safetensors", async (name) => {
    const [gguf, plain] = [await loadModel(sourceOf(read(name))), await loadModel(fixtureSource(name))];
    expect(gguf.config).toEqual({ ...plain.config, rmsNormEps: Math.fround(plain.config.rmsNormEps) });
    expect([...gguf.weights.keys()]).toEqual([...plain.weights.keys()]);
    expect(gguf.weights).toEqual(plain.weights); // q and k of llama are permuted in the file
    expect(gguf.endTokenIds).toEqual([1, 0, 2]); // eos_token_id, <|endoftext|>, <|im_end|>
  });

  it("is read tensor by tensor, after a header", async () => {
    const reads: number[] = [];
    const bytes = read("qwen3");
    const { weights } = await loadModel(sourceOf(bytes, reads));
    expect(reads).toHaveLength(1 + weights.size);
    expect(Math.max(...reads.slice(1))).toBe(4 * 64 * 32); // the embedding
  });

  it("brings its tokenizer and chat template", async () => {
    const { tokenizerFiles, endTokenIds } = await loadModel(sourceOf(read("qwen3")));
    const codec = await createTextCodec(tokenizerFiles, endTokenIds);
    const ids = codec.encodePrompt([{ role: "user", content: "ABC=5" }]);
    expect(codec.decode(ids)).toBe("ABC=5");
  });

  it("takes the tokenizer that lies beside it, where a chat template does too, and a config.json for none of its own", async () => {
    const [gguf, other] = [sourceOf(read("qwen3")), new TextEncoder().encode('{"other": 1}')];
    const beside = (...names: readonly string[]): ModelSource => ({
      ...gguf,
      list: async () => [...((await gguf.list?.()) ?? []), ...names],
      read: (path) => Promise.resolve(names.includes(path) ? other : null),
    });
    const own = (await loadModel(gguf)).tokenizerFiles;
    const both = await loadModel(beside("config.json", "tokenizer.json", "chat_template.jinja"));
    const text = '{"other": 1}';
    expect(both.tokenizerFiles).toEqual({
      tokenizerJson: text,
      tokenizerConfigJson: null,
      chatTemplate: text,
    });
    expect((await loadModel(beside("tokenizer.json"))).tokenizerFiles).toEqual(own);
    expect((await loadModel(beside("chat_template.jinja"))).tokenizerFiles).toEqual(own);
  });

  it.each([
    ["an architecture that is not known", "general.architecture", "qwen3 -> gemma"],
    ["another tokenizer", "tokenizer.ggml.model", "gpt2 -> bert"],
    ["a split that is not known", "tokenizer.ggml.pre", "qwen2 -> other"],
  ])("refuses %s by name", async (_, key, change) => {
    const [from = "", to = ""] = change.split(" -> ");
    const bytes = read("qwen3").slice();
    const file = Buffer.from(bytes);
    bytes.set(text.encode(to), file.indexOf(from, file.indexOf(key)));
    await expect(loadModel(sourceOf(bytes))).rejects.toThrow(`${key}: expected`);
    await expect(loadModel(sourceOf(bytes))).rejects.toThrow(`got ${to}`);
  });

  it("refuses tensors that are missing, unknown or cut off", async () => {
    const renamed = changed("qwen3", "blk.0.ffn_up.weight", "blk.0.ffn_xx.weight");
    await expect(loadModel(sourceOf(renamed))).rejects.toThrow("model.layers.0.mlp.up_proj.weight");
    const bytes = read("qwen3");
    await expect(loadModel(sourceOf(bytes.subarray(0, bytes.length - 9000)))).rejects.toThrow(
      "expected bytes up to",
    );
    await expect(loadModel(sourceOf(bytes.subarray(0, 300)))).rejects.toThrow("a whole GGUF header");
    await expect(loadModel(sourceOf(text.encode("<!doctype html><html></html>")))).rejects.toThrow(
      "a GGUF file",
    );
    const old = bytes.slice();
    old[4] = 1;
    await expect(loadModel(sourceOf(old))).rejects.toThrow("version 1");
  });

  it.each<[string, (bytes: Uint8Array, view: DataView) => Uint8Array, string]>([
    [
      "a tensor on another's bytes",
      (bytes, view) => withOffset(bytes, "blk.0.ffn_up.weight", offsetOf(view, "blk.0.ffn_gate.weight")),
      "mlp.up_proj.weight: expected bytes from",
    ],
    [
      "a tensor between two steps of the alignment",
      (bytes, view) => withOffset(bytes, "blk.0.ffn_up.weight", offsetOf(view, "blk.0.ffn_up.weight") + 4n),
      "blk.0.ffn_up.weight: expected an offset in steps of 32",
    ],
    [
      "more tensors than any model has",
      (bytes, view) => (view.setBigUint64(8, 2n ** 40n, true), bytes),
      "at most 1000000 tensors, got 1099511627776",
    ],
    ["lists in lists without end", nested, "lists 8 deep at most"],
    [
      "an alignment of 0",
      (bytes) => withValue(bytes, "general.alignment", 4, [0, 0, 0, 0]),
      "a multiple of 8",
    ],
  ])("refuses %s", async (_, damage, message) => {
    const bytes = read("qwen3").slice();
    const damaged = damage(bytes, new DataView(bytes.buffer));
    await expect(loadModel(sourceOf(damaged))).rejects.toThrow(message);
  });
});
