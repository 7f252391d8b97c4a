import { expect, test } from "vitest";
import type { ModelIdentity } from "../../domain/run/spec.ts";
import { baseModelOf } from "./base-model.ts";
import { noteOf } from "./adapter-zip.ts";

const own = (id: string, revision: string | null = null): { name: string; identity: ModelIdentity } => ({
  name: id,
  identity: { id, revision, storage: "q8", thinking: false },
});

test.each([
  ["the bundled model", { name: "tiny", identity: null }, "models/tiny", 'from_pretrained("models/tiny")'],
  [
    "a hub's",
    own("Qwen/Qwen3-0.6B", "main"),
    "Qwen/Qwen3-0.6B",
    'from_pretrained("Qwen/Qwen3-0.6B", revision="main")',
  ],
  ["a folder", own("my-model"), "my-model", 'from_pretrained("my-model")'],
  ["an address", own("https://a.example/x/tiny/"), "https://a.example/x/tiny/", 'from_pretrained("tiny")'],
  [
    "a GGUF file of a hub",
    own("someone/small/a/b-Q8_0.gguf", "c0ffee"),
    "someone/small",
    'from_pretrained("someone/small", revision="c0ffee", gguf_file="a/b-Q8_0.gguf")',
  ],
  [
    "a GGUF file",
    own("smol.Q8_0.gguf"),
    "smol.Q8_0.gguf",
    'from_pretrained("FOLDER_OF_THE_FILE", gguf_file="smol.Q8_0.gguf")',
  ],
])("names %s, and no other, in PEFT's config and in the note", (_, info, name, call) => {
  const base = baseModelOf(info);
  expect(base.name).toBe(name);
  const note = noteOf(["pow3r"], base, 3);
  expect(note).toContain(`AutoModelForCausalLM.${call}`);
  expect(note.includes("models/")).toBe(info.identity === null);
  expect(note.includes("held in 8 bits")).toBe(info.identity !== null);
});
