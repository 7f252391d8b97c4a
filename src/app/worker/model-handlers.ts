/** What the worker does for requests about models: look at one, forget a kept one, say what a step costs and how a prompt reads. */
import { describeMachine, type MachineReport } from "../../engine/runtime/device.ts";
import { forecastStepMs, planRun } from "../../training/planner.ts";
import { type MeasuredSpeed, WEIGHT_STORAGES, type WeightStorage } from "../../domain/run/memory-plan.ts";
import type { ModelRequests, RunSize, StepForecast } from "../protocol/model-messages.ts";
import type { WeightCache } from "../../engine/weights/weight-cache.ts";
import type { Handlers } from "./dispatch.ts";
import { inspectModel, USUAL_PROMPT_TOKENS } from "./inspect-model.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import { browserCache } from "./browser-cache.ts";
import { type KeptEntry, listKept, openKept, placeOf } from "./kept-model.ts";
import { bundledChoice, filesToChoose, type OwnChoice, sourceOf } from "./model-source-of.ts";

type ModelHandlers = Pick<Handlers, Exclude<keyof ModelRequests, "cancelLoad">>;

/** Speed of a model that was loaded without a measurement; takes its turn with the run's steps. */
export type MeasureLater = (host: LoadedModelHost) => Promise<MeasuredSpeed>;

/** `machine` and `cache` are replaced in tests. */
export function modelHandlers(
  loaded: () => LoadedModelHost,
  machine: () => Promise<MachineReport> = describeMachine,
  cache: WeightCache | null = browserCache(() => navigator.storage),
  measure: MeasureLater | null = null,
): ModelHandlers {
  const measured = new WeakMap<LoadedModelHost, Promise<MeasuredSpeed | null>>();
  const speedOf = (host: LoadedModelHost): Promise<MeasuredSpeed | null> => {
    if (host.speed !== null || measure === null) return Promise.resolve(host.speed);
    const known = measured.get(host) ?? measure(host).catch(() => null); // told as not known
    measured.set(host, known);
    return known;
  };
  return {
    inspectModel: async ({ model, engine, size }) => {
      if (model.kind === "bundled") throw bundledChoice();
      return inspectModel({
        source: await sourceOf(model),
        local: model.kind === "files",
        kept: await keptOf(cache, model),
        machine: await machine(),
        engine,
        size,
      });
    },
    listModelFiles: async ({ model }) => ({
      files: model.kind === "bundled" ? [] : await filesToChoose(model),
    }),
    listKeptModels: async () => ({ models: cache === null ? [] : await listKept(cache) }),
    deleteKeptModel: async ({ id }) => {
      await cache?.delete(id);
      return {};
    },
    forecastStep: async ({ size }) => {
      const host = loaded();
      return forecast(host, { machine: await machine(), speed: await speedOf(host), size });
    },
    promptTokens: ({ messages }) => {
      const { codec } = loaded();
      const tokens = codec.encodePrompt(messages);
      const texts = codec.showTokens(tokens);
      return Promise.resolve({ pieces: Array.from(tokens, (id, i) => ({ id, text: texts[i] ?? "" })) });
    },
  };
}

interface Foretold {
  readonly machine: MachineReport;
  readonly speed: MeasuredSpeed | null;
  readonly size: RunSize;
}

async function keptOf(cache: WeightCache | null, model: OwnChoice): Promise<KeptEntry | null> {
  const place = placeOf(model);
  return cache === null || place === null ? null : openKept(cache, place, WEIGHT_STORAGES);
}

function forecast({ config, info }: LoadedModelHost, { machine, speed, size }: Foretold): StepForecast {
  const storage: WeightStorage = info.identity?.storage ?? "f32";
  const request = {
    config,
    storage,
    offered: WEIGHT_STORAGES,
    engine: info.runsOn,
    ...size,
    promptTokens: USUAL_PROMPT_TOKENS,
    maxBindingBytes: machine.gpu?.maxBindingBytes ?? null,
  };
  const plan = planRun(request);
  return { plan, stepMs: speed === null ? null : forecastStepMs(request, speed, plan.microBatch) };
}
