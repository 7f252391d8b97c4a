/** What is found in files that a person chose: folders, loose files, zips, and why some of it cannot be used. */
import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { loraLayout } from "../../engine/nn/lora.ts";
import { writePeftAdapter } from "../../engine/weights/peft-adapter.ts";
import { readModelFixture } from "../../testing/model-fixtures.ts";
import { readAdapterFiles } from "./adapter-files.ts";
import { zipAdapters } from "./adapter-zip.ts";
import { baseModelOf } from "./base-model.ts";

const { config, lora, adapter } = readModelFixture("qwen3");
const files = writePeftAdapter(adapter, loraLayout(config, lora), { name: "base" });
const CONFIG = new TextEncoder().encode(files["adapter_config.json"]);
const WEIGHTS = files["adapter_model.safetensors"];

const file = (path: string, bytes: Uint8Array) => ({ path, bytes: new Blob([Uint8Array.from(bytes)]) });
const other = adapter.map((x) => -x);

test("a folder, with what else lies in it", async () => {
  const [read, ...more] = await readAdapterFiles(
    [
      file("mine/README.md", CONFIG),
      file("mine/adapter_config.json", CONFIG),
      file("mine/adapter_model.safetensors", WEIGHTS),
    ],
    config,
  );
  expect(more).toEqual([]);
  expect(read).toMatchObject({
    start: { name: "mine", baseModel: "base", lora: { ...lora, use_rslora: false } },
    values: adapter,
    dropout: 0,
  });
});

test("every arm of the zip that this page saves, each with a hash of its own numbers", async () => {
  const arms = [adapter, other].map((values, i) => ({
    seed: null,
    arm: i === 0 ? "pow3r" : "static",
    files: writePeftAdapter(values, loraLayout(config, lora), { name: "base" }),
  }));
  const zip = zipAdapters(arms, baseModelOf({ name: "base", identity: null }), 3);
  const read = await readAdapterFiles([file("a.zip", zip)], config);
  expect(read).toMatchObject([
    { start: { name: "pow3r" }, values: adapter },
    { start: { name: "static" }, values: other },
  ]);
  const hashes = read.map((each) => ("start" in each ? each.start.sha256 : ""));
  expect(new Set(hashes).size).toBe(2);
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  [
    "no weights",
    [file("adapter_config.json", CONFIG)],
    "adapter: expected adapter_model.safetensors, got none",
  ],
  [
    "a pickle",
    [file("x/adapter_config.json", CONFIG), file("x/adapter_model.bin", WEIGHTS)],
    "x: expected adapter_model.safetensors, got adapter_model.bin, a pickle, which can run code",
  ],
])("%s is told of the folder that has it", async (_, chosen, message) => {
  const [read] = await readAdapterFiles(chosen, config);
  expect(read).toMatchObject({ fault: { code: "adapter-refused" } });
  expect(read !== undefined && "fault" in read ? read.fault.message : "").toContain(message);
});

test("one that cannot be used leaves the others to choose from", async () => {
  const dora = CONFIG.slice();
  dora.set(
    new TextEncoder().encode('"use_dora": true  '),
    files["adapter_config.json"].indexOf('"use_dora": false'),
  );
  const zip = zipSync({
    "a/adapter_config.json": dora,
    "a/adapter_model.safetensors": WEIGHTS,
    "b/adapter_config.json": CONFIG,
    "b/adapter_model.safetensors": WEIGHTS,
  });
  const read = await readAdapterFiles([file("both.zip", zip)], config);
  expect(read).toMatchObject([{ name: "a", fault: {} }, { start: { name: "b" } }]);
});

test.each([
  ["other files", [file("model.gguf", CONFIG)], "got model.gguf"],
  ["a broken zip", [file("x.zip", CONFIG)], "x.zip: expected a zip file"],
])("%s alone are refused", async (_, chosen, message) => {
  await expect(readAdapterFiles(chosen, config)).rejects.toThrow(message);
});
