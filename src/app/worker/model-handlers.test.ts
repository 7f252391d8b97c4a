/** Requests about models on the real handlers: cost before the weights, tokens, forecasts, cancelling, and a run that names its model. */
import { describe, expect, test } from "vitest";
import { grpoConfigSchema } from "../../domain/grpo/config.ts";
import type { ModelIdentity } from "../../domain/run/spec.ts";
import type { MachineReport } from "../../engine/runtime/device.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import type { ModelSource } from "../../engine/weights/model-source.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
import type { ModelUse } from "../protocol/model-messages.ts";
import { inspectModel } from "./inspect-model.ts";
import { type LoadedModelHost, openModel } from "./loaded-model.ts";
import { modelHandlers } from "./model-handlers.ts";
import { identityOf, sourceOf } from "./model-source-of.ts";
import { checkSameModel } from "./same-model.ts";

const MACHINE: MachineReport = { cores: 4, crossOriginIsolated: true, threads: 2, gpu: null };
const GPU = {
  description: "test chip",
  software: false,
  maxBufferBytes: 2 ** 28,
  maxBindingBytes: 2 ** 27,
  float16: false,
};
const SIZE = { grpo: grpoConfigSchema.parse({ num_generations: 4, max_completion_length: 8 }), arms: 2 };
const USE: ModelUse = { storage: "f32", thinking: false };

/** The random model with other files in place of its own. */
function changed(files: Readonly<Record<string, string>>): ModelSource {
  const source = createRandomModelSource();
  return {
    name: source.name,
    read: (path, options) => {
      const text = files[path];
      return text === undefined
        ? source.read(path, options)
        : Promise.resolve(new TextEncoder().encode(text));
    },
  };
}

function load(
  use: ModelUse | null,
  source = createRandomModelSource(),
  signal?: AbortSignal,
): Promise<LoadedModelHost> {
  return openModel({
    source,
    use,
    identity: use && identityOf({ kind: "url", url: "http://test/random", ...use }),
    choice: "auto",
    machine: MACHINE,
    openEngine: () => Promise.resolve(openNodeEngine(1)),
    now: () => performance.now(),
    onProgress: () => undefined,
    signal,
  });
}

describe("looking at a model", () => {
  const look = (source: ModelSource, machine = MACHINE) =>
    inspectModel({ source, local: false, machine, engine: "auto", size: SIZE });

  test("tells parameters, bytes, engine and memory", async () => {
    const report = await look(createRandomModelSource());
    const weights = await createRandomModelSource().read("model.safetensors");
    const header = Number(new DataView(weights?.buffer as ArrayBuffer).getBigUint64(0, true));
    expect(report).toMatchObject({
      name: "random",
      architecture: "qwen3",
      layers: 2,
      vocabSize: 320,
      thinks: false,
    });
    // float32 alone lies behind the header
    expect(report.parameters).toBe(((weights?.length ?? 0) - 8 - header) / 4);
    expect(report.downloadBytes).toBe(weights?.length);
    expect(report.plans[0]).toMatchObject({ engine: "kernels", storage: "f32", fits: true, microBatch: 4 });
  });

  test("of this computer costs no download", async () => {
    const source = createRandomModelSource();
    const local = await inspectModel({ source, local: true, machine: MACHINE, engine: "auto", size: SIZE });
    expect(local.downloadBytes).toBe(0);
  });

  test("takes the graphics chip where there is a real one, and says so", async () => {
    const report = await look(createRandomModelSource(), { ...MACHINE, gpu: GPU });
    expect(report.place).toEqual({
      threads: 2,
      kernelThreads: 2,
      adapter: "test chip",
      software: false,
      cores: 4,
      isolated: true,
    });
    expect(report.plans[0]).toMatchObject({ engine: "webgpu" });
    const software = await look(createRandomModelSource(), { ...MACHINE, gpu: { ...GPU, software: true } });
    expect(software.plans[0]).toMatchObject({ engine: "kernels" });
  });

  test("refuses an unsupported configuration before anything else is asked for", async () => {
    const asked: string[] = [];
    const source = changed({ "config.json": '{"model_type":"mamba"}' });
    const watched: ModelSource = {
      name: "odd",
      read: (path, options) => {
        asked.push(path);
        return source.read(path, options);
      },
    };
    await expect(look(watched)).rejects.toMatchObject({ code: "model-unsupported" });
    expect(asked).not.toContain("model.safetensors");
  });

  test("notices a template that can think", async () => {
    const source = changed({ "chat_template.jinja": "{% if enable_thinking %}{% endif %}" });
    expect((await look(source)).thinks).toBe(true);
  });
});

test("a model that was loaded unmeasured is measured once, when a forecast is first asked for", async () => {
  const loaded = await load(USE);
  const host = { ...loaded, speed: null };
  let measured = 0;
  const measure = () => {
    measured++;
    return Promise.resolve({ decodeTokenMs: 1, decodeRowMs: 1, updateRowMs: 1 });
  };
  const machine = () => Promise.resolve(MACHINE);
  const unmeasured = modelHandlers(() => host, machine, null);
  expect((await unmeasured.forecastStep({ size: SIZE })).stepMs).toBeNull();
  const { forecastStep } = modelHandlers(() => host, machine, null, measure);
  const { stepMs } = await forecastStep({ size: SIZE });
  expect(stepMs).toBeGreaterThan(0);
  expect((await forecastStep({ size: SIZE })).stepMs).toBe(stepMs);
  expect(measured).toBe(1);
  await loaded.dispose();
});

test("a loaded model is measured, tells what a step costs and how a prompt reads", async () => {
  const host = await load(USE);
  const { forecastStep, promptTokens } = modelHandlers(
    () => host,
    () => Promise.resolve(MACHINE),
  );
  const { plan, stepMs } = await forecastStep({ size: SIZE });
  expect(plan.parts.map(({ name }) => name)).toContain("kv-cache");
  expect(stepMs).toBeGreaterThan(0);
  const longer = { ...SIZE, grpo: { ...SIZE.grpo, max_completion_length: 80 } };
  expect((await forecastStep({ size: longer })).stepMs).toBeGreaterThan(stepMs ?? NaN);

  const messages = [{ role: "user" as const, content: "Hello" }];
  const { pieces } = await promptTokens({ messages });
  expect(pieces.map(({ id }) => id)).toEqual([...host.codec.encodePrompt(messages)]);
  expect(pieces.map(({ text }) => text).join("")).toContain("<|im_start|>user\nHello<|im_end|>");
  expect(host.info.identity).toEqual({ id: "http://test/random", revision: null, ...USE });
  await host.dispose();
});

test("the bundled model is not measured and has no name in a run", async () => {
  const host = await load(null);
  expect(host.speed).toBeNull();
  expect(host.info.identity).toBeNull();
  await host.dispose();
});

test("thinking is what the template is told: off unless it is asked for", async () => {
  const template = "{{ 'on' if enable_thinking else 'off' }}";
  for (const [thinking, said] of [
    [false, "off"],
    [true, "on"],
  ] as const) {
    const host = await load({ storage: "f32", thinking }, changed({ "chat_template.jinja": template }));
    expect(host.codec.decode(host.codec.encodePrompt([{ role: "user", content: "x" }]))).toBe(said);
    await host.dispose();
  }
});

test("loading that is given up ends with `aborted`", async () => {
  const controller = new AbortController();
  controller.abort();
  await expect(load(USE, createRandomModelSource(), controller.signal)).rejects.toMatchObject({
    code: "aborted",
  });
});

describe("a run and its model", () => {
  const qwen: ModelIdentity = { id: "Qwen/Qwen3-0.6B", revision: "main", storage: "q8", thinking: false };

  test.each<[ModelIdentity | null, ModelIdentity | null]>([
    [qwen, null],
    [null, qwen],
    [qwen, { ...qwen, revision: "other" }],
    [qwen, { ...qwen, storage: "q4" }],
    [qwen, { ...qwen, thinking: true }],
  ])("another one is refused by name", (wanted, loaded) => {
    expect(() => {
      checkSameModel(wanted, loaded);
    }).toThrow(/the run's model: expected .*(Qwen|bundled).*, got/);
  });

  test("its own one is taken", () => {
    checkSameModel(qwen, { ...qwen });
    checkSameModel(null, null);
  });
});

describe("files of this computer", () => {
  const file = (path: string, text: string) => ({ path, bytes: new Blob([text]) });

  test("are read by their paths inside the folder, and parts of them", async () => {
    const files = [file("my-model/config.json", "{}"), file("my-model/model.safetensors", "0123456789")];
    const source = await sourceOf({ kind: "files", files, ...USE });
    expect(source.name).toBe("my-model");
    expect(await source.list?.()).toEqual(["config.json", "model.safetensors"]);
    expect(new TextDecoder().decode((await source.read("config.json")) ?? undefined)).toBe("{}");
    expect(await source.read("other")).toBeNull();
    const opened = await source.open?.("model.safetensors");
    expect(opened?.sizeBytes).toBe(10);
    expect(new TextDecoder().decode(await opened?.read(2, 5))).toBe("234");
  });
});
