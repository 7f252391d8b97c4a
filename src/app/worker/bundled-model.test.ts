import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { BUNDLED_MODEL, bundledFilesOf } from "./bundled-model.ts";

test("asks for every file of the bundled model but its card, and for no other", async () => {
  const asked: string[] = [];
  const source = bundledFilesOf({
    name: "m",
    read: (path) => {
      asked.push(path);
      return Promise.resolve(new Uint8Array());
    },
  });
  const files = (await readdir(`models/${BUNDLED_MODEL}`)).filter((name) => name !== "README.md").sort();
  for (const path of [...files, "chat_template.jinja", "model.safetensors.index.json"])
    await source.read(path);
  expect(asked).toEqual(files);
  expect(await source.read("chat_template.jinja")).toBeNull();
});
