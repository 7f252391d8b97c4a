/** Files of a run on the real loader with a tiny random model: what they hold, opened again by their own readers. */
import { strFromU8, unzipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSettingsFile } from "../../domain/run/settings-file.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { loadModel } from "../../engine/weights/load-model.ts";
import { parseSafetensors, toFloat32 } from "../../engine/weights/safetensors.ts";
import { createRunRecord, type RunRecord } from "../../training/run-record.ts";
import { fakeSpec } from "../../testing/fake-run.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
import { readAdapterFiles } from "./adapter-files.ts";
import { adapterFiles, type ArmAdapter } from "./adapter-zip.ts";
import { exportHandlers } from "./export-handlers.ts";
import { openModel, type LoadedModelHost } from "./loaded-model.ts";

const spec = fakeSpec({}, { lora: { r: 2, target_modules: ["q_proj"] } });
let host: LoadedModelHost;
let record: RunRecord;

beforeAll(async () => {
  host = await openModel({
    source: createRandomModelSource(),
    choice: "wasm",
    machine: { cores: 2, crossOriginIsolated: false, threads: 1, gpu: null },
    openEngine: () => Promise.resolve(openNodeEngine(1)),
    now: () => 0,
    onProgress: () => undefined,
  });
  record = createRunRecord("r", spec, await host.policyFor(spec.grpo.lora));
});
afterAll(() => host.dispose());

test("the zip holds a PEFT folder an arm with that arm's own numbers", async () => {
  const changed = record.arms.map((arm, i) => ({
    ...arm,
    adapter: arm.adapter.map((x, at) => (at === 0 ? i + 1 : x)),
  }));
  const { zip } = await exportHandlers(
    { records: [{ ...record, arms: changed, step: 7 }], rows: [] },
    () => host,
  ).exportAdapters({});
  const files = unzipSync(zip);
  expect(Object.keys(files).sort()).toEqual([
    "README.txt",
    "pow3r/adapter_config.json",
    "pow3r/adapter_model.safetensors",
    "static/adapter_config.json",
    "static/adapter_model.safetensors",
  ]);
  const file = (name: string): Uint8Array => files[name] ?? new Uint8Array();
  expect(JSON.parse(strFromU8(file("static/adapter_config.json")))).toMatchObject({
    r: 2,
    target_modules: ["q_proj"],
    base_model_name_or_path: `models/${host.info.name}`,
  });
  for (const [i, arm] of ["pow3r", "static"].entries()) {
    const { entries } = parseSafetensors(file(`${arm}/adapter_model.safetensors`), arm);
    const flat = [...entries.values()].map((entry) => toFloat32(entry, arm).data);
    expect(flat.reduce((sum, data) => sum + data.length, 0)).toBe(record.arms[0]?.adapter.length);
    expect(flat.some((data) => data[0] === i + 1)).toBe(true);
  }
  expect(strFromU8(file("README.txt"))).toContain("after 7 GRPO steps");
});

test("several seeds have a folder each, and are named in the settings", async () => {
  const records = [1, 2].map((seed) => ({ ...record, spec: { ...spec, seed } }));
  const { exportAdapters, exportSettings } = exportHandlers({ records, rows: [] }, () => host);
  const files = unzipSync((await exportAdapters({})).zip);
  const folders = [1, 2].flatMap((seed) => ["pow3r", "static"].map((arm) => `seed-${seed}/${arm}`));
  const wanted = folders.flatMap((folder) => [
    `${folder}/adapter_config.json`,
    `${folder}/adapter_model.safetensors`,
  ]);
  expect(Object.keys(files).sort()).toEqual(["README.txt", ...wanted].sort());
  expect(JSON.parse((await exportSettings({})).text)).toMatchObject({ seeds: [1, 2], spec: { seed: 1 } });
});

test("arms whose names are one to a file system have a folder each", () => {
  const named = (arm: string): ArmAdapter => ({
    arm,
    seed: null,
    files: { "adapter_config.json": "{}", "adapter_model.safetensors": new Uint8Array(1) },
  });
  const folders = Object.keys(adapterFiles(["a b", "a_b", "A b", "보상", "정적"].map(named)));
  expect(folders.filter((path) => path.endsWith(".json"))).toEqual(
    ["a_b", "a_b-2", "A_b-3", "__", "__-2"].map((folder) => `${folder}/adapter_config.json`),
  );
});

test("the settings are the run's, with the rubric edits it really used", async () => {
  const later = { ...spec.rubric, title: "Later" };
  const rubrics = [...record.rubrics, { version: 2, fromStep: 4, rubric: later }];
  const { text } = await exportHandlers(
    { records: [{ ...record, rubrics }], rows: [] },
    () => host,
  ).exportSettings({});
  expect(JSON.parse(text)).toMatchObject({
    model: host.info.name,
    spec: { ...spec, rubricEdits: [{ fromStep: 4, rubric: later }] },
  });
  expect(() => parseSettingsFile(text, "a.json")).toThrow("check.type"); // the fake checks are none of the product's
});

test("without a run there is nothing to export, and it says so", () => {
  const { exportSettings } = exportHandlers({ records: [], rows: [] }, () => host);
  expect(() => exportSettings({})).toThrow("expected a run, got none");
});

test("the whole run is one zip that its own readers open", async () => {
  const started = {
    ...record,
    start: record.arms[0]?.adapter.map(() => 0.5) ?? null,
    spec: {
      ...spec,
      startAdapter: { name: "their one", sha256: "0".repeat(64), baseModel: null, lora: spec.grpo.lora },
    },
  };
  const rows = [{ kind: "rubric" as const, seed: 7, step: 2, rubricVersion: 2, summary: "s", changes: [] }];
  const { zip } = await exportHandlers({ records: [started], rows }, () => host).exportRun({});
  const files = unzipSync(zip);
  const adapters = ["pow3r", "static"].map((arm) => `adapters/${arm}`);
  const folders = [...adapters, "start-adapter/their_one"];
  expect(Object.keys(files).sort()).toEqual(
    [
      ...["README.txt", "metrics.csv", "metrics.jsonl", "rubric.json", "run.json", "settings.json"],
      ...folders.flatMap((folder) => [
        `${folder}/adapter_config.json`,
        `${folder}/adapter_model.safetensors`,
      ]),
    ].sort(),
  );
  const text = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
  expect(JSON.parse(text("run.json"))).toMatchObject({
    seeds: [7],
    step: 0,
    model: { name: host.info.name, engine: "wasm" },
    startAdapter: { name: "their one" },
    versions: { "@huggingface/transformers": expect.stringMatching(/^\d/) as string },
  });
  expect(JSON.parse(text("settings.json"))).toMatchObject({ spec: { startAdapter: { name: "their one" } } });
  expect(JSON.parse(text("rubric.json"))).toMatchObject({ title: spec.rubric.title });
  expect(text("metrics.jsonl")).toContain('"summary":"s"');
  expect(text("metrics.csv").split("\n")[0]).toContain("summary");
  expect(text("README.txt")).toContain('"adapters/pow3r"');
  const read = await readAdapterFiles([{ path: "run.zip", bytes: new Blob([zip]) }], host.model.config);
  expect(read.map((each) => ("start" in each ? each.start.name : each))).toEqual([...folders].sort());
});

test("a merged model is a zip that loads as a model, with the arm's own numbers", async () => {
  const changed = record.arms.map((arm, i) => ({ ...arm, adapter: arm.adapter.map(() => (i + 1) / 8) }));
  const { exportMerged } = exportHandlers({ records: [{ ...record, arms: changed }], rows: [] }, () => host);
  const loads = async (arm: string, dtype: "F32" | "BF16" | null) => {
    const { zip, dtype: written } = await exportMerged({ seed: spec.seed, arm, dtype });
    const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    const model = await loadModel({ name: arm, read: (path) => Promise.resolve(files[path] ?? null) });
    expect(model.config).toEqual(host.model.config);
    expect(model.tokenizerFiles).toEqual(host.model.tokenizerFiles);
    return { written, value: model.weights.get("model.layers.0.self_attn.q_proj.weight")?.data[0] };
  };
  const base = Number(host.model.weights.get("model.layers.0.self_attn.q_proj.weight")?.data[0]);
  // s B A of ranks 2, scale 16 / 2: 8 * 2 * x * x
  expect(await loads("pow3r", null)).toEqual({ written: "F32", value: Math.fround(base + 16 / 64) });
  expect(await loads("static", "F32")).toEqual({ written: "F32", value: Math.fround(base + 64 / 64) });
  const coarse = await loads("static", "BF16");
  expect(coarse.written).toBe("BF16");
  expect(Math.abs(Number(coarse.value) - (base + 1))).toBeLessThan(0.01);
});
