/** Our codec beside transformers' tokenizer on fifty prompts, for the fixture's tokenizer and the bundled model's. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import { bundledModelFolders, bundledModelMissing } from "../../testing/bundled-model.ts";
import { fixtureFolder } from "../../testing/model-fixtures.ts";
import { askOracle, describeWithOracle } from "../../testing/oracle.ts";
import { createTextCodec } from "./tokenizer.ts";

interface Answer {
  readonly texts: number[][];
  readonly chats: number[][];
  readonly decodes: string[];
}
const PARTS = [
  "Hello, my name is Zoë.",
  "Order 40213 of the lamp has not come",
  "  two  spaces ",
  "tab\tnew\nline\r\n",
  "I'm sorry, we'll don't",
  "WHY?!",
  "naïve café — “quotes” …",
  "👩‍🚀🎉",
  "日本語 Ελληνικά עברית",
  "a , b . c ? n't",
  "<|im_end|>",
  "3.14 1,000 00:15",
  "- item\n- item\n\n",
  "user@example.org https://x.y/z?a=b#c",
  "\u00a0\u200b",
];

/** Fifty prompts, each of one to four odd parts. */
function prompts(): string[] {
  const rng = createRng(11, "tokenizer interop");
  return Array.from({ length: 50 }, () =>
    Array.from({ length: 1 + rng.below(4) }, () => PARTS[rng.below(PARTS.length)] ?? "").join(" "),
  );
}

async function compare(folder: string): Promise<void> {
  const read = (file: string): string | null =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : null;
  const files = {
    tokenizerJson: read("tokenizer.json"),
    tokenizerConfigJson: read("tokenizer_config.json"),
    chatTemplate: read("chat_template.jinja"),
  };
  const codec = await createTextCodec(files, [0]);
  const rng = createRng(12, "decode interop");
  const texts = prompts();
  const chats = texts.map((content) => [{ role: "user", content }]);
  const decodes = texts.map(() =>
    Array.from({ length: 1 + rng.below(40) }, () => rng.below(codec.vocabSize)),
  );
  const theirs = askOracle("scripts/oracles/token_ids.py", { folder, texts, chats, decodes }) as Answer;
  expect(texts.map((text) => [...codec.encodeText(text)])).toEqual(theirs.texts);
  expect(chats.map((chat) => [...codec.encodePrompt(chat)])).toEqual(theirs.chats);
  const tokens = decodes.map((ids) => Int32Array.from(ids));
  expect(tokens.map((ids) => codec.decode(ids))).toEqual(theirs.decodes);
  expect(tokens.map((ids) => codec.decodePieces(ids).join(""))).toEqual(theirs.decodes);
}

describeWithOracle("createTextCodec beside transformers", () => {
  it("gives the same ids and texts with the fixture's tokenizer", async () => {
    await compare(fixtureFolder("tokenizer"));
  });
});

describeWithOracle(
  "createTextCodec beside transformers, bundled model",
  () => {
    it.each(bundledModelFolders("tokenizer.json"))("gives the same ids and texts with %s", compare);
  },
  bundledModelMissing("tokenizer.json"),
);
