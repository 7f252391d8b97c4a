import { describe, expect, it } from "vitest";
import { readFixture, readFixtureJson } from "../../testing/model-fixtures.ts";
import { type ChatMessage, createTextCodec, type TextFiles } from "./tokenizer.ts";

interface Oracle {
  readonly texts: readonly { readonly text: string; readonly ids: readonly number[] }[];
  readonly chats: readonly { readonly messages: readonly ChatMessage[]; readonly ids: readonly number[] }[];
  readonly decodes: readonly { readonly ids: readonly number[]; readonly text: string }[];
}
const text = (path: string): string => new TextDecoder().decode(readFixture(`tokenizer/${path}`));
const FILES: TextFiles = {
  tokenizerJson: text("tokenizer.json"),
  tokenizerConfigJson: text("tokenizer_config.json"),
  chatTemplate: text("chat_template.jinja"),
};
const oracle = readFixtureJson("tokenizer/oracle.json") as Oracle;
const open = (change: Partial<TextFiles> = {}) => createTextCodec({ ...FILES, ...change }, [2]);
const USER = [{ role: "user", content: "Hello" }];

describe("createTextCodec", () => {
  it("gives transformers' ids for plain text", async () => {
    const codec = await open();
    for (const item of oracle.texts) expect([...codec.encodeText(item.text)], item.text).toEqual(item.ids);
    expect(codec.vocabSize).toBe(316);
    expect(codec.endTokenIds).toEqual([2]);
  });

  it("gives transformers' ids for chats, through the template's file", async () => {
    const codec = await open();
    for (const { messages, ids } of oracle.chats) expect([...codec.encodePrompt(messages)]).toEqual(ids);
  });

  it("decodes as transformers does: no special tokens, no clean-up, broken bytes as U+FFFD", async () => {
    const cleaning = JSON.stringify({
      ...JSON.parse(text("tokenizer_config.json")),
      clean_up_tokenization_spaces: true,
    });
    for (const codec of [await open(), await open({ tokenizerConfigJson: cleaning })]) {
      for (const { ids, text: expected } of oracle.decodes) {
        expect(codec.decode(Int32Array.from(ids)), String(ids)).toBe(expected);
      }
    }
  });

  it("cuts the text into pieces that join to it", async () => {
    const codec = await open();
    for (const { ids } of oracle.decodes) {
      const tokens = Int32Array.from(ids);
      const pieces = codec.decodePieces(tokens);
      expect(pieces).toHaveLength(ids.length);
      expect(pieces.join("")).toBe(codec.decode(tokens));
    }
  });

  it("puts a character whose bytes are split at its last token, and nothing at special tokens", async () => {
    const codec = await open();
    const tokens = codec.encodeText("a🎉b<|im_end|>");
    expect(tokens).toHaveLength(7);
    expect(codec.decodePieces(tokens)).toEqual(["a", "", "", "", "🎉", "b", ""]);
    expect(codec.decodePieces(tokens.slice(0, 3))).toEqual(["a", "", "\uFFFD"]);
    expect(codec.decodePieces(new Int32Array(0))).toEqual([]);
  });

  it("lets chat_template.jinja win over tokenizer_config.json, which serves alone too", async () => {
    const inConfig = JSON.stringify({
      ...JSON.parse(text("tokenizer_config.json")),
      chat_template: "{{ messages[0]['content'] }}!",
    });
    const both = await open({ tokenizerConfigJson: inConfig });
    expect([...both.encodePrompt(oracle.chats[0]?.messages ?? [])]).toEqual(oracle.chats[0]?.ids);
    const alone = await open({ tokenizerConfigJson: inConfig, chatTemplate: null });
    expect(alone.decode(alone.encodePrompt(USER))).toBe("Hello!");
  });

  it.each<[string, Partial<TextFiles>, string]>([
    ["no tokenizer.json", { tokenizerJson: null }, "tokenizer.json: expected a file, got none"],
    ["a page for a tokenizer", { tokenizerJson: "<html>" }, "tokenizer.json: expected JSON"],
    ["a list for a config", { tokenizerConfigJson: "[]" }, "tokenizer_config.json: expected a JSON object"],
    ["no vocabulary", { tokenizerJson: "{}" }, "expected a model with a vocabulary"],
    [
      "an unknown model type",
      { tokenizerJson: '{"model":{"type":"New","vocab":{"a":0}}}' },
      "transformers.js can build",
    ],
    ["no chat template", { chatTemplate: null }, "expected chat_template.jinja or chat_template"],
  ])("refuses %s", async (_name, change, message) => {
    const act = open(change);
    await expect(act).rejects.toThrow(message);
    await expect(act).rejects.toThrow(expect.objectContaining({ code: "tokenizer-broken" }) as Error);
  });

  it("reports a template that refuses the messages", async () => {
    const codec = await open({ chatTemplate: "{{ raise_exception('system first') }}" });
    expect(() => codec.encodePrompt(USER)).toThrow("system first");
    expect(() => codec.encodePrompt(USER)).toThrow(expect.objectContaining({ code: "tokenizer-broken" }));
  });

  it("reports a template that leaves nothing to answer", async () => {
    const codec = await open({ chatTemplate: "{% if false %}x{% endif %}" });
    expect(() => codec.encodePrompt(USER)).toThrow("got a text without a token");
  });

  it("keeps the library off the network", async () => {
    await open();
    const { env } = await import("@huggingface/transformers");
    expect(env.allowRemoteModels).toBe(false);
    expect(JSON.stringify(env.backends.onnx.wasm?.wasmPaths ?? "")).not.toContain("cdn");
  });
});
