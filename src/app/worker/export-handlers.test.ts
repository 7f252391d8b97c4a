/** Files of a run on the real loader with a tiny random model: what they hold, opened again by their own readers. */
import { strFromU8, unzipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSettingsFile } from "../../domain/run/settings-file.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { parseSafetensors, toFloat32 } from "../../engine/weights/safetensors.ts";
import { createRunRecord, type RunRecord } from "../../training/run-record.ts";
import { fakeSpec } from "../../testing/fake-run.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
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
    base_model_name_or_path: host.info.name,
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
