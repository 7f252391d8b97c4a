import { expect, test } from "vitest";
import { drawRows } from "../../../scripts/model/corpus/rows.ts";
import { beyondBundled, unknownWords } from "./unknown-words.ts";

test("messages of the kinds that the model was trained on hold no unknown word", () => {
  const prompts = (["full", "rich", "base"] as const).flatMap((phase) =>
    drawRows(700, { seed: 5, phase, split: "train" }).map(({ prompt }) => prompt),
  );
  const flagged = prompts.filter((prompt) => unknownWords(prompt).length > 0);
  expect(flagged).toEqual([]);
});

test("other words are named once, as they were typed", () => {
  const text = "Hello, I am Nadia. My Spaceship leaks tachyons, order #48213; my spaceship!";
  expect(unknownWords(text)).toEqual(["Spaceship", "tachyons"]);
  expect(unknownWords("")).toEqual([]);
});

test("a set of prompts says which of them hold unknown words, in any of their messages", () => {
  const user = (content: string) => ({ role: "user" as const, content });
  const prompts = [
    { messages: [user("My kettle leaks. What now?")] },
    { messages: [user("Explain tachyons"), { role: "assistant" as const, content: "Hello" }, user("Hello")] },
    { messages: [user("Tachyons, order #48213")] },
  ];
  expect(beyondBundled(prompts)).toEqual({ words: ["Explain", "tachyons"], prompts: 2 });
  expect(beyondBundled(prompts.slice(0, 1))).toEqual({ words: [], prompts: 0 });
});
