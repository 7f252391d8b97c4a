/** GGUF tokenizers: every split against Hugging Face's library, the tokens that end an answer, and what is put around a text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTextCodec, type ModelTextCodec } from "../text/tokenizer.ts";
import type { GgufValue } from "./gguf.ts";
import { GgufMetadata } from "./gguf-metadata.ts";
import { type GgufTokenizer, readGgufTokenizer } from "./gguf-tokenizer.ts";

const splits = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../testing/fixtures/gguf/splits.json"), "utf8"),
) as {
  readonly tokens: readonly string[];
  readonly merges: readonly string[];
  readonly texts: readonly string[];
  readonly ids: Readonly<Record<string, readonly (readonly number[])[]>>;
};
const NORMAL = 1;
const CONTROL = 3;
const TEMPLATE = "{{ messages[0].content }}";

type Values = Readonly<Record<string, GgufValue>>;

/** The fixture's vocabulary, with tokens behind it. */
function read(changes: Values = {}, tokens: readonly string[] = [], type = CONTROL): GgufTokenizer {
  const values: Values = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": [...splits.tokens, ...tokens],
    "tokenizer.ggml.token_type": [...splits.tokens.map(() => NORMAL), ...tokens.map(() => type)],
    "tokenizer.ggml.merges": splits.merges,
    "tokenizer.chat_template": TEMPLATE,
    ...changes,
  };
  return readGgufTokenizer(
    new GgufMetadata({ metadata: new Map(Object.entries(values)) }, "m.gguf"),
    "m.gguf",
  );
}
const codecOf = (tokenizer: GgufTokenizer): Promise<ModelTextCodec> =>
  createTextCodec({ ...tokenizer, chatTemplate: null }, tokenizer.endTokenIds);
const FIRST = splits.tokens.length;

describe("tokenizer.ggml.pre", () => {
  it.each(Object.keys(splits.ids))("%s splits as the models' own tokenizers do", async (pre) => {
    const codec = await codecOf(read({ "tokenizer.ggml.pre": pre }));
    const got = splits.texts.map((text) => [text, [...codec.encodeText(text)]]);
    expect(got).toEqual(splits.texts.map((text, i) => [text, splits.ids[pre]?.[i]]));
  });

  it("makes a difference between any two of them", () => {
    const kinds = Object.values(splits.ids).map((ids) => JSON.stringify(ids));
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  it.each([
    ["llama3", "llama-bpe"],
    ["deepseek-r1-qwen", "qwen2"],
  ])("%s is %s by another name", async (pre, same) => {
    const codec = await codecOf(read({ "tokenizer.ggml.pre": pre }));
    expect(splits.texts.map((text) => [...codec.encodeText(text)])).toEqual(splits.ids[same]);
  });

  it("that is missing is the default one, and one that is not known is refused", async () => {
    const codec = await codecOf(read());
    expect(splits.texts.map((text) => [...codec.encodeText(text)])).toEqual(splits.ids["default"]);
    expect(() => read({ "tokenizer.ggml.pre": "tekken" })).toThrow("qwen2, deepseek-r1-qwen, llama-bpe");
    expect(() => read({ "tokenizer.ggml.model": "llama" })).toThrow(
      "expected gpt2 (byte-level BPE), got llama",
    );
  });
});

describe("tokens that end an answer", () => {
  it("are those that the file names, and those known by their text", () => {
    const named = { eos: FIRST, eot: FIRST + 3, eom: FIRST + 1 };
    const changes = Object.fromEntries(
      Object.entries(named).map(([name, id]) => [`tokenizer.ggml.${name}_token_id`, id]),
    );
    const tokens = ["<end>", "<more>", "<|im_start|>", "<|im_end|>", "<|endoftext|>"];
    expect(read(changes, tokens).endTokenIds).toEqual([FIRST, FIRST + 3, FIRST + 1, FIRST + 4]);
  });

  it("are found though no metadata name them, and are special though the file calls them plain text", async () => {
    const tokenizer = read({}, ["<|eot_id|>"], NORMAL);
    expect(tokenizer.endTokenIds).toEqual([FIRST]);
    const codec = await codecOf(tokenizer);
    expect([...codec.encodeText("<|eot_id|>")]).toEqual([FIRST]);
    expect(codec.decode(Int32Array.of(FIRST))).toBe("");
  });
});

describe("add_bos_token and add_eos_token", () => {
  const tokens = ["<s>", "</s>"];
  const named = { "tokenizer.ggml.bos_token_id": FIRST, "tokenizer.ggml.eos_token_id": FIRST + 1 };
  const prompt = async (changes: Values): Promise<readonly number[]> => {
    const codec = await codecOf(read({ ...named, ...changes }, tokens));
    return [...codec.encodePrompt([{ role: "user", content: "Hi" }])];
  };

  it("put the first token before a prompt whose template does not, once", async () => {
    const plain = await prompt({});
    expect(plain).not.toContain(FIRST);
    expect(await prompt({ "tokenizer.ggml.add_bos_token": true })).toEqual([FIRST, ...plain]);
    for (const own of ["{{ bos_token }}", "<s>"])
      expect(
        await prompt({
          "tokenizer.ggml.add_bos_token": true,
          "tokenizer.chat_template": `${own}${TEMPLATE}`,
        }),
      ).toEqual([FIRST, ...plain]);
  });

  it("hold for Llama 3's tokenizer unless the file says otherwise", async () => {
    const llama = { "tokenizer.ggml.pre": "llama-bpe" };
    expect((await prompt(llama))[0]).toBe(FIRST);
    expect((await prompt({ ...llama, "tokenizer.ggml.add_bos_token": false }))[0]).not.toBe(FIRST);
  });

  it("stand in tokenizer.json for whoever reads a text with it, and end no prompt", async () => {
    const both = { "tokenizer.ggml.add_bos_token": true, "tokenizer.ggml.add_eos_token": true };
    expect((await prompt(both)).at(-1)).not.toBe(FIRST + 1);
    const { buildTokenizer } = await import("../text/transformers-tokenizer.ts");
    const { tokenizerJson, tokenizerConfigJson } = read({ ...named, ...both }, tokens);
    const tokenizer = buildTokenizer(
      JSON.parse(tokenizerJson) as Record<string, unknown>,
      JSON.parse(tokenizerConfigJson) as Record<string, unknown>,
    );
    const ids = tokenizer("Hi", { return_tensor: false }).input_ids;
    expect([ids[0], ids.at(-1)]).toEqual([FIRST, FIRST + 1]);
  });

  it("that are no flags are refused", () => {
    expect(() => read({ "tokenizer.ggml.add_bos_token": 1 })).toThrow(
      "add_bos_token: expected true or false",
    );
  });
});
