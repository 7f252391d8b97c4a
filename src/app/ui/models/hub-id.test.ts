import { expect, test } from "vitest";
import { readHubId } from "./hub-id.ts";

const HUB = "https://huggingface.co";
const id = (repo: string, file: string | null = null, revision: string | null = null) => ({
  repo,
  file,
  revision,
});

test.each([
  ["Qwen/Qwen3-0.6B", id("Qwen/Qwen3-0.6B")],
  [" Qwen/Qwen3-0.6B/ ", id("Qwen/Qwen3-0.6B")],
  ["a/b/q/c-Q8_0.gguf", id("a/b", "q/c-Q8_0.gguf")],
  ["https://huggingface.co/Qwen/Qwen3-0.6B", id("Qwen/Qwen3-0.6B")],
  ["https://huggingface.co/Qwen/Qwen3-0.6B/tree/main", id("Qwen/Qwen3-0.6B", null, "main")],
  ["huggingface.co/Qwen/Qwen3-0.6B?library=x#top", id("Qwen/Qwen3-0.6B")],
  ["hf.co/a/b/blob/v1/c.gguf", id("a/b", "c.gguf", "v1")],
  ["https://hf.co/a/b/resolve/main/c.gguf?download=true", id("a/b", "c.gguf", "main")],
  ["https://huggingface.co/a/b/blob/main/README.md", id("a/b", null, "main")],
])("%s names a model", (text, expected) => {
  expect(readHubId(text, HUB)).toEqual(expected);
});

test.each([
  ["", "Qwen3-0.6B", "a/..", "../../x", "a b/c", "a/b?x", "a/b#x", "a/b%2f", "a\\b", "a/b:Q4", "a/b/c"],
  ["a/b/../c.gguf", "https://elsewhere.example/a/b", "https://", "javascript:alert(1)", "ftp://x/a/b"],
  ["https://huggingface.co", "https://huggingface.co/models", "https://huggingface.co/a/%zz"],
].flat())("“%s” names none", (text) => {
  expect(readHubId(text, HUB)).toBeNull();
});

test("an address of another hub counts where that hub is the one to ask", () => {
  expect(readHubId("https://mirror.example/a/b", "https://mirror.example/")).toEqual(id("a/b"));
  expect(readHubId("https://huggingface.co/a/b", "https://mirror.example/")).toBeNull();
  expect(readHubId("hf.co/a/b", "https://mirror.example/")).toBeNull();
});
