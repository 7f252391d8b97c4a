/**
 * The tokenizer of a GGUF file as tokenizer.json and tokenizer_config.json, and the tokens that end an answer, as llama.cpp's
 * llama-vocab.cpp takes them. Departures: fill-in-the-middle tokens end no answer here, and Qwen's text is composed (NFC) as by
 * its own tokenizer.json.
 */
import { type GgufMetadata, unsupportedGguf } from "./gguf-metadata.ts";

/** tokenizer.ggml.token_type. */
const CONTROL = 3;
const USER_DEFINED = 4;

const MERGES = "tokenizer.ggml.merges";
const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)";

/** How text is split before merges. */
const SPLITS = {
  "gpt-2": [byteLevel(true)],
  smollm: [{ type: "Digits", individual_digits: true }, byteLevel(true)],
  qwen2: [splitBy(letters("\\p{N}")), byteLevel(false)],
  "llama-bpe": [splitBy(letters("\\p{N}{1,3}")), byteLevel(false)],
  default: [
    ...["[\\p{P}\\$\\+<=>\\^~\\|]+", GPT2, "\\p{N}+", "[0-9][0-9][0-9]"].map(splitBy),
    byteLevel(false),
  ],
} as const;
type Split = keyof typeof SPLITS;

/** By `tokenizer.ggml.pre`; a file without it is split by default. */
const SPLIT_OF: Readonly<Record<string, Split>> = {
  "gpt-2": "gpt-2",
  default: "default",
  smollm: "smollm",
  qwen2: "qwen2",
  "deepseek-r1-qwen": "qwen2",
  "llama-bpe": "llama-bpe",
  llama3: "llama-bpe",
  "llama-v3": "llama-bpe",
};

/** Tokens that end an answer by their text, whatever the metadata say. */
const ENDS: ReadonlySet<string> = new Set([
  "<|eot_id|>",
  "<|im_end|>",
  "<|end|>",
  "<|return|>",
  "<|call|>",
  "<end_of_turn>",
  "<|endoftext|>",
  "<|eom_id|>",
  "<EOT>",
  "_<EOT>",
  "<|end_of_text|>",
  "<end_of_utterance>",
]);

export interface GgufTokenizer {
  /** tokenizer.json, as text. */
  readonly tokenizerJson: string;
  /** tokenizer_config.json, as text. */
  readonly tokenizerConfigJson: string;
  /** `eos_token_id` first, where there is one; those that `eot_token_id`, `eom_token_id` and the tokens' texts add. */
  readonly endTokenIds: readonly number[];
}

/** @throws PlaygroundError `model-unsupported` for another tokenizer or split, `model-broken` */
export function readGgufTokenizer(metadata: GgufMetadata, where: string): GgufTokenizer {
  const model = metadata.text("tokenizer.ggml.model") ?? "none";
  if (model !== "gpt2")
    throw unsupportedGguf(`${where}: tokenizer.ggml.model`, "gpt2 (byte-level BPE)", model);
  const pre = metadata.text("tokenizer.ggml.pre") ?? "default";
  const split = Object.hasOwn(SPLIT_OF, pre) ? SPLIT_OF[pre] : undefined;
  if (split === undefined)
    throw unsupportedGguf(`${where}: tokenizer.ggml.pre`, Object.keys(SPLIT_OF).join(", "), pre);
  const tokens = metadata.texts("tokenizer.ggml.tokens");
  const ends = endTokens(metadata, tokens);
  const around = added(metadata, tokens, split);
  const tokenizer = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: addedTokens(metadata, tokens, new Set(ends)),
    normalizer: split === "qwen2" ? { type: "NFC" } : null,
    pre_tokenizer: { type: "Sequence", pretokenizers: SPLITS[split] },
    post_processor: postProcessor(around),
    decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: "BPE",
      ...{ dropout: null, unk_token: null, continuing_subword_prefix: "", end_of_word_suffix: "" },
      ...{ fuse_unk: false, byte_fallback: false, ignore_merges: split === "llama-bpe" },
      vocab: Object.fromEntries(tokens.map((content, id) => [content, id])),
      merges: metadata.list(MERGES) === undefined ? [] : metadata.texts(MERGES), // writers leave empty lists out
    },
  };
  const config = {
    tokenizer_class: "PreTrainedTokenizerFast",
    clean_up_tokenization_spaces: false,
    bos_token: namedToken(metadata, tokens, "bos")?.content,
    eos_token: namedToken(metadata, tokens, "eos")?.content,
    pad_token: namedToken(metadata, tokens, "padding")?.content,
    chat_template: chatTemplate(metadata.text("tokenizer.chat_template"), around.bos),
  };
  return {
    tokenizerJson: JSON.stringify(tokenizer),
    tokenizerConfigJson: JSON.stringify(config),
    endTokenIds: ends,
  };
}

interface Token {
  readonly id: number;
  readonly content: string;
}

function namedToken(metadata: GgufMetadata, tokens: readonly string[], name: string): Token | undefined {
  const id = metadata.number(`tokenizer.ggml.${name}_token_id`) ?? -1;
  const content = tokens[id];
  return content === undefined ? undefined : { id, content };
}

function endTokens(metadata: GgufMetadata, tokens: readonly string[]): readonly number[] {
  const named = ["eos", "eot", "eom"].map((name) => metadata.number(`tokenizer.ggml.${name}_token_id`));
  const byText = tokens.flatMap((content, id) => (ENDS.has(content) ? [id] : []));
  return [...new Set([...named.filter((id) => id !== undefined), ...byText])];
}

/** What the file asks to put around a text. */
interface Around {
  readonly bos: Token | undefined;
  readonly eos: Token | undefined;
}

function added(metadata: GgufMetadata, tokens: readonly string[], split: Split): Around {
  const bos = metadata.flag("tokenizer.ggml.add_bos_token") ?? split === "llama-bpe";
  const eos = metadata.flag("tokenizer.ggml.add_eos_token") ?? false;
  return {
    bos: bos ? namedToken(metadata, tokens, "bos") : undefined,
    eos: eos ? namedToken(metadata, tokens, "eos") : undefined,
  };
}

/** For plain text; a chat's prompt is what its template writes. */
function postProcessor({ bos, eos }: Around): unknown {
  const given = [bos, eos].filter((token) => token !== undefined);
  if (given.length === 0) return null;
  const piece = (token: Token | undefined, type_id: number): readonly unknown[] =>
    token === undefined ? [] : [{ SpecialToken: { id: token.content, type_id } }];
  const text = (id: string, type_id: number): readonly unknown[] => [
    ...piece(bos, type_id),
    { Sequence: { id, type_id } },
    ...piece(eos, type_id),
  ];
  const special = given.map(
    ({ id, content }) => [content, { id: content, ids: [id], tokens: [content] }] as const,
  );
  return {
    type: "TemplateProcessing",
    single: text("A", 0),
    pair: [...text("A", 0), ...text("B", 1)],
    special_tokens: Object.fromEntries(special),
  };
}

/** A prompt begins with the token that begins a text, where the file asks for it and the template does not write it itself. */
function chatTemplate(template: string | undefined, bos: Token | undefined): string | undefined {
  if (template === undefined || bos === undefined) return template;
  return template.includes("bos_token") || template.includes(bos.content)
    ? template
    : `{{- bos_token }}${template}`;
}

function addedTokens(
  metadata: GgufMetadata,
  tokens: readonly string[],
  ends: ReadonlySet<number>,
): readonly unknown[] {
  const types = metadata.list("tokenizer.ggml.token_type") ?? [];
  // an end that the file does not call a control token is one all the same
  const special = (id: number): boolean => types[id] === CONTROL || ends.has(id);
  return tokens.flatMap((content, id) =>
    special(id) || types[id] === USER_DEFINED
      ? [
          {
            ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false },
            special: special(id),
          },
        ]
      : [],
  );
}

function byteLevel(use_regex: boolean): unknown {
  return { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex };
}

/** Llama 3's expression, which Qwen2 changes in how many digits stay together. */
function letters(digits: string): string {
  return `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
}

function splitBy(Regex: string): unknown {
  return { type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false };
}
