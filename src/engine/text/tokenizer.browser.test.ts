/** The codec where it is used: in a browser, from the same files, without a request to another origin. */
import { expect, it } from "vitest";
import { type ChatMessage, createTextCodec } from "./tokenizer.ts";

const FOLDER = "/src/testing/fixtures/models/tokenizer/";
const read = async (file: string): Promise<string> => (await fetch(`${FOLDER}${file}`)).text();

it("gives transformers' ids in the browser and asks no other origin", async () => {
  const codec = await createTextCodec(
    {
      tokenizerJson: await read("tokenizer.json"),
      tokenizerConfigJson: await read("tokenizer_config.json"),
      chatTemplate: await read("chat_template.jinja"),
    },
    [2],
  );
  const oracle = JSON.parse(await read("oracle.json")) as {
    chats: { messages: ChatMessage[]; ids: number[] }[];
    decodes: { ids: number[]; text: string }[];
  };
  for (const { messages, ids } of oracle.chats) expect([...codec.encodePrompt(messages)]).toEqual(ids);
  for (const { ids, text } of oracle.decodes) expect(codec.decode(Int32Array.from(ids))).toBe(text);
  const origins = performance.getEntriesByType("resource").map(({ name }) => new URL(name).origin);
  expect(new Set(origins)).toEqual(new Set([location.origin]));
  const { env } = await import("@huggingface/transformers");
  expect(JSON.stringify(env.backends.onnx.wasm?.wasmPaths ?? "")).not.toContain("cdn");
});
