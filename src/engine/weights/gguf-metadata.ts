/** Typed access to a GGUF file's metadata, and what is said of a file that is not supported. */
import { PlaygroundError } from "../../base/errors.ts";
import type { GgufHeader, GgufValue } from "./gguf.ts";
import { brokenWeights } from "./weight-file.ts";

/** Absent = undefined. @throws PlaygroundError `model-broken` for a value of another kind */
export class GgufMetadata {
  readonly #header: Pick<GgufHeader, "metadata">;
  readonly #where: string;

  constructor(header: Pick<GgufHeader, "metadata">, where: string) {
    this.#header = header;
    this.#where = where;
  }

  #get(key: string): GgufValue | undefined {
    return this.#header.metadata.get(key);
  }

  text(key: string): string | undefined {
    const value = this.#get(key);
    if (value === undefined || typeof value === "string") return value;
    throw this.#wrong(key, "a text");
  }

  flag(key: string): boolean | undefined {
    const value = this.#get(key);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.#wrong(key, "true or false");
  }

  number(key: string): number | undefined {
    const value = this.#get(key);
    if (value === undefined || typeof value === "number") return value;
    if (typeof value === "bigint") return Number(value);
    throw this.#wrong(key, "a number");
  }

  list(key: string): readonly GgufValue[] | undefined {
    const value = this.#get(key);
    if (value === undefined || Array.isArray(value)) return value as readonly GgufValue[] | undefined;
    throw this.#wrong(key, "a list");
  }

  texts(key: string): readonly string[] {
    const list = this.list(key);
    if (list === undefined) throw brokenWeights(`${this.#where}: ${key}`, "a list of texts", "none");
    const other = list.findIndex((item) => typeof item !== "string");
    if (other !== -1) throw brokenWeights(`${this.#where}: ${key}`, "texts", `another value at ${other}`);
    return list as readonly string[];
  }

  #wrong(key: string, expected: string): PlaygroundError {
    return brokenWeights(`${this.#where}: ${key}`, expected, "another kind of value");
  }
}

/** `model-unsupported`, with what is supported. */
export function unsupportedGguf(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "model-unsupported",
    where,
    expected,
    got,
    next: "Use a Qwen2, Qwen3 or Llama file in one of these forms, or the model's safetensors.",
  });
}
