/**
 * Text to tokens and back with a model's own tokenizer and chat template, through transformers.js, loaded when first
 * needed and kept off the network. Knows files' texts, not where they came from.
 * Departures from the library: `chat_template.jinja` is read and wins, as in Hugging Face's; text is never "cleaned up" when
 * decoded (Hugging Face's ignores `clean_up_tokenization_spaces` for BPE tokenizers); ids outside the vocabulary decode to nothing.
 */
import type { PreTrainedTokenizer } from "@huggingface/transformers";
import { PlaygroundError } from "../../base/errors.ts";

/** The tokenizer's files as text; null where the model has none. */
export interface TextFiles {
  readonly tokenizerJson: string | null;
  readonly tokenizerConfigJson: string | null;
  /** chat_template.jinja. */
  readonly chatTemplate: string | null;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export interface TextOptions {
  /** The chat template's `enable_thinking`; a template that does not know it is not changed by it. */
  readonly enableThinking?: boolean;
}

/** Text in, tokens out; what the trainer asks of a tokenizer. */
export interface ModelTextCodec {
  /** The chat's ids with the generation prompt appended. @throws PlaygroundError `tokenizer-broken` when the template refuses. */
  encodePrompt(messages: readonly ChatMessage[]): Int32Array;
  /** Ids of plain text: no template, nothing added; special tokens written out in it are recognised. */
  encodeText(text: string): Int32Array;
  /** The text without special tokens. */
  decode(tokens: Int32Array): string;
  /**
   * One piece a token; joined they are `decode(tokens)`. A character whose bytes are split over tokens stands at the
   * last of them; special tokens are "".
   */
  decodePieces(tokens: Int32Array): string[];
  /** Each token by itself, special tokens written out; half a character is U+FFFD. */
  showTokens(tokens: Int32Array): string[];
  readonly endTokenIds: readonly number[];
  /** Largest id + 1. */
  readonly vocabSize: number;
}

const REPLACEMENT = "\uFFFD";
const NO_CLEAN_UP = { skip_special_tokens: true, clean_up_tokenization_spaces: false };

/**
 * A codec from a model's tokenizer files.
 * @throws PlaygroundError `tokenizer-broken`: no tokenizer.json, not JSON, no vocabulary, no chat template.
 */
export async function createTextCodec(
  files: TextFiles,
  endTokenIds: readonly number[],
  { enableThinking = false }: TextOptions = {},
): Promise<ModelTextCodec> {
  const tokenizer = await openTokenizer(files);
  const vocabulary = new Set(tokenizer.get_vocab().values());
  const special = new Set(tokenizer.all_special_ids);
  const written = (id: number): boolean => vocabulary.has(id) && !special.has(id);
  const decode = (ids: readonly number[]): string => {
    const kept = ids.filter(written);
    return kept.length === 0 ? "" : tokenizer.decode(kept, NO_CLEAN_UP);
  };
  return {
    encodePrompt: (messages) => encodeChat(tokenizer, messages, enableThinking),
    encodeText: (text) =>
      Int32Array.from(tokenizer(text, { add_special_tokens: false, return_tensor: false }).input_ids),
    decode: (tokens) => decode([...tokens]),
    decodePieces: (tokens) => pieces([...tokens], written, decode),
    showTokens: (tokens) =>
      Array.from(tokens, (id) =>
        vocabulary.has(id)
          ? tokenizer.decode([id], { skip_special_tokens: false, clean_up_tokenization_spaces: false })
          : "",
      ),
    endTokenIds,
    vocabSize: [...vocabulary].reduce((max, id) => Math.max(max, id), -1) + 1,
  };
}

async function openTokenizer(files: TextFiles): Promise<PreTrainedTokenizer> {
  if (files.tokenizerJson === null) throw broken("tokenizer.json", "a file", "none");
  const json = parseObject(files.tokenizerJson, "tokenizer.json");
  const config = parseObject(files.tokenizerConfigJson ?? "{}", "tokenizer_config.json");
  if (!hasVocabulary(json)) throw broken("tokenizer.json", "a model with a vocabulary", "none");
  if (files.chatTemplate !== null) config["chat_template"] = files.chatTemplate;
  if (config["chat_template"] == null) {
    throw broken("chat_template", "chat_template.jinja or chat_template in tokenizer_config.json", "neither");
  }
  const { buildTokenizer } = await import("./transformers-tokenizer.ts");
  try {
    return buildTokenizer(json, config);
  } catch (cause) {
    throw broken("tokenizer.json", "a tokenizer that transformers.js can build", reason(cause), cause);
  }
}

function encodeChat(
  tokenizer: PreTrainedTokenizer,
  messages: readonly ChatMessage[],
  enableThinking: boolean,
): Int32Array {
  try {
    const options = {
      add_generation_prompt: true,
      enable_thinking: enableThinking, // of the template; the library's type does not name what it hands on
      return_tensor: false,
      return_dict: false,
    } as const;
    const ids = tokenizer.apply_chat_template([...messages], options);
    if (ids.length === 0) throw new Error("a text without a token"); // nothing to continue from
    return Int32Array.from(ids);
  } catch (cause) {
    throw broken("chat template", "messages that the template takes", reason(cause), cause);
  }
}

/** Decodes growing prefixes: a prefix that ends inside a character ends in U+FFFD and is held back until it is whole. */
function pieces(
  ids: readonly number[],
  written: (id: number) => boolean,
  decode: (ids: readonly number[]) => string,
): string[] {
  const out = ids.map(() => "");
  let done = "";
  let last = -1;
  ids.forEach((id, i) => {
    if (!written(id)) return;
    last = i;
    const text = decode(ids.slice(0, i + 1));
    if (text.endsWith(REPLACEMENT) || !text.startsWith(done)) return;
    out[i] = text.slice(done.length);
    done = text;
  });
  if (last !== -1) out[last] = (out[last] ?? "") + decode(ids).slice(done.length);
  return out;
}

function hasVocabulary(json: Readonly<Record<string, unknown>>): boolean {
  const model = json["model"] as { vocab?: unknown } | null | undefined;
  return typeof model?.vocab === "object" && model.vocab !== null;
}

function parseObject(text: string, where: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw broken(where, "JSON", reason(cause), cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw broken(where, "a JSON object", "something else");
  }
  return value as Record<string, unknown>;
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function broken(where: string, expected: string, got: string, cause?: unknown): PlaygroundError {
  return new PlaygroundError(
    {
      code: "tokenizer-broken",
      where,
      expected,
      got,
      next: "Use the tokenizer files as transformers saves them beside the model.",
    },
    { cause },
  );
}
