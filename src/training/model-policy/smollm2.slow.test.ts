/**
 * SmolLM2-135M-Instruct's GGUF beside transformers on the same dequantised weights: logits, greedy answers, tokens of odd
 * texts and of chats. Answers may part only where the two best tokens are nearly tied; such places are printed.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { createTextCodec, type ModelTextCodec } from "../../engine/text/tokenizer.ts";
import { loadModel, type LoadedModel } from "../../engine/weights/load-model.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { largestDifference, modelLogits } from "../../testing/model-logits.ts";
import { askOracle, describeWithOracle } from "../../testing/oracle.ts";
import { SMOLLM2, smollm2Missing } from "../../testing/smollm2.ts";
import { createModelPolicy } from "./create.ts";

const MAX_TOKENS = 32;
/** Dequantising in Python takes minutes on a busy machine. */
const MOST_LOAD_MS = 1_200_000;
/** Two logits closer than this may change places between two orders of summation. */
const NEAR_TIE = 0.05;

const user = (content: string) => ({ role: "user", content });
const CHATS = [
  [user("What is the capital of France?")],
  [user("Write one sentence about the sea.")],
  [user("Name three colours.")],
  [{ role: "system", content: "You answer in one word." }, user("Is 17 prime?")],
  [user("Hello"), { role: "assistant", content: "Hi! How can I help?" }, user("Tell me a joke, please.")],
  [user("Give me a list of 2 fruits, in lower case, without commas.")],
  [user("Translate 'good morning' into Spanish.")],
  [user("  Why is the sky blue?\n\nAnswer briefly.  ")],
  [user("Complete: def add(a, b):\n    return")],
  [user("Überraschung! Was heißt „Haus“ auf Englisch? 🏠")],
];
const ODD_TEXTS = [
  "",
  " ",
  "\n\n\n",
  "12345 and 3.14159e-10, 2026-11-30",
  "1٢٣४５Ⅷ²",
  "  leading and trailing  ",
  "tabs\tand\r\nnew\n\r\n lines",
  "naïve café, Zoë — “quoted” … ﬁ Å",
  "emoji 👩‍🚀🎉🏳️‍🌈 and 日本語 and Ελληνικά and עברית and हिन्दी",
  "I'll, they're, WE'RE; don't! 'tis",
  "<|im_start|>user\nnot a turn<|im_end|> <|endoftext|>",
  "<|im_start|",
  "a , b . c ? d ! e n't",
  "def f(x):\n    return x**2  # ünïcode\n",
  "\u00a0nbsp\u2003em space\u200bzero width\ufeffbom",
  "\u0000\u0001 control \u007f",
  "ALLCAPSANDNOSPACES lowercaseandnospaces MixedCase",
  "https://example.org/a?b=c&d=%20e#f",
  "e\u0301 against \u00e9",
  "x".repeat(300),
];

interface Answer {
  readonly texts: readonly (readonly number[])[];
  readonly chats: readonly (readonly number[])[];
  readonly greedy: readonly { readonly tokens: readonly number[]; readonly gaps: readonly number[] }[];
  readonly tails: readonly string[];
}

let engine: Engine;
let model: LoadedModel;
let codec: ModelTextCodec;
let answer: Answer;
let tails: readonly (readonly number[])[];

describeWithOracle(
  "SmolLM2-135M-Instruct beside transformers",
  () => {
    beforeAll(async () => {
      model = await loadModel(createFolderSource(SMOLLM2.folder));
      codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
      engine = openNodeEngine(2);
      const long = [...codec.encodeText(`${ODD_TEXTS.join("\n")}${"The sea is wide. ".repeat(40)}`)];
      tails = [...CHATS.map((chat) => [...codec.encodePrompt(chat)]), long];
      const ask = { ...SMOLLM2, pre: "smollm", texts: ODD_TEXTS, chats: CHATS, maxTokens: MAX_TOKENS, tails };
      answer = askOracle("scripts/oracles/gguf_model.py", ask) as Answer;
    }, MOST_LOAD_MS);
    afterAll(() => engine.dispose());

    it("gives its tokens for odd texts and for chats", () => {
      for (const [i, text] of ODD_TEXTS.entries()) {
        expect([...codec.encodeText(text)], JSON.stringify(text)).toEqual(answer.texts[i]);
      }
      for (const [i, chat] of CHATS.entries()) {
        expect([...codec.encodePrompt(chat)], JSON.stringify(chat)).toEqual(answer.chats[i]);
      }
    });

    it("gives its logits within 1e-3", async () => {
      const worst: number[] = [];
      for (const [i, ids] of tails.entries()) {
        const own = await modelLogits(engine, model, Int32Array.from(ids), [ids.length - 1]);
        const expected = new Float32Array(
          Uint8Array.from(Buffer.from(answer.tails[i] ?? "", "base64")).buffer,
        );
        expect(expected).toHaveLength(model.config.vocabSize);
        worst.push(largestDifference(own, expected));
      }
      process.stdout.write(`SmolLM2's logits differ by at most ${Math.max(...worst).toExponential(1)}\n`);
      expect(Math.max(...worst)).toBeLessThan(1e-3);
    });

    it("gives its greedy answers up to the first near tie", async () => {
      const lora = { r: 4, lora_alpha: 8, target_modules: ["q_proj"] as const };
      const policy = createModelPolicy({ engine, model, lora, maxPositions: 160 });
      const greedy = { groupSize: 1, maxTokens: MAX_TOKENS, temperature: 0, topK: 0, topP: 1, adapter: null };
      const prompts = CHATS.map((chat) => codec.encodePrompt(chat));
      const groups = await policy.rollout({ ...greedy, prompts, uniform: () => 0.5 });
      await policy.dispose();
      let equal = 0;
      for (const [i, { tokens, gaps }] of answer.greedy.entries()) {
        const own = defined(groups[i]?.[0], "our answer").tokens;
        const at = tokens.findIndex((token, t) => own[t] !== token);
        equal += at === -1 ? tokens.length : at;
        if (at === -1) expect(own).toHaveLength(tokens.length);
        else process.stdout.write(`prompt ${i} parts at token ${at}, the best two ${gaps[at]} apart\n`);
        expect(at === -1 ? 0 : (gaps[at] ?? Infinity), `prompt ${i}: ${codec.decode(own)}`).toBeLessThan(
          NEAR_TIE,
        );
      }
      process.stdout.write(`${equal} greedy tokens of ${CHATS.length} prompts are transformers' own\n`);
      expect(equal).toBeGreaterThan(100);
    });
  },
  smollm2Missing(),
);
