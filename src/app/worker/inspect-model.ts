/**
 * Looks at a model before its weights move: configuration, names and sizes of its tensors, the plan of a run for every
 * storage, and what would compute where. What the loader would refuse without reading weights is refused here already.
 */
import { type ModelConfig, parameterCount } from "../../engine/nn/model-config.ts";
import { MOST_THREADS } from "../../engine/kernels/module.ts";
import type { MachineReport } from "../../engine/runtime/device.ts";
import { openModelFiles } from "../../engine/weights/load-model.ts";
import type { ModelSource } from "../../engine/weights/model-source.ts";
import { STORAGE_BITS } from "../../engine/weights/stored-weight.ts";
import { chooseCpuEngine } from "../../training/model-policy/plan-choice.ts";
import { planRun } from "../../training/planner.ts";
import { WEIGHT_STORAGES, type WeightStorage } from "../../domain/run/memory-plan.ts";
import type { EngineChoice, ModelReport, PlaceReport, RunSize } from "../protocol/model-messages.ts";
import type { KeptEntry } from "./kept-model.ts";

/** A prompt before any is encoded: those of the bundled scenarios are 30 to 60 tokens with their template. */
export const USUAL_PROMPT_TOKENS = 64;

export interface InspectOptions {
  readonly source: ModelSource;
  /** True where nothing is fetched. */
  readonly local: boolean;
  /** The model in this browser's storage: then no source is asked. */
  readonly kept?: KeptEntry | null;
  readonly machine: MachineReport;
  readonly engine: EngineChoice;
  readonly size: RunSize;
}

/** @throws PlaygroundError `model-unsupported`, `model-broken`, `model-fetch-failed`. */
export async function inspectModel(options: InspectOptions): Promise<ModelReport> {
  const { source, local, machine, engine, size, kept = null } = options;
  const { name, config, tokenizerFiles, sizeBytes } = kept?.opened ?? (await openModelFiles(source));
  const { chatTemplate, tokenizerConfigJson } = tokenizerFiles;
  return {
    name,
    architecture: config.architecture,
    parameters: parameterCount(config),
    layers: config.layers,
    hiddenSize: config.hiddenSize,
    vocabSize: config.vocabSize,
    downloadBytes: local ? 0 : sizeBytes,
    keptAs: kept?.storages ?? [],
    thinks: (chatTemplate ?? tokenizerConfigJson ?? "").includes("enable_thinking"),
    place: placeOf(machine),
    plans: WEIGHT_STORAGES.map((storage) =>
      planRun({
        config,
        storage,
        offered: WEIGHT_STORAGES,
        engine: engineFor(config, storage, machine, engine),
        ...size,
        promptTokens: USUAL_PROMPT_TOKENS,
        maxBindingBytes: machine.gpu?.maxBindingBytes ?? null,
      }),
    ),
  };
}

/** The engine that "auto" is going to take, as far as it is known before a measurement. */
function engineFor(
  config: ModelConfig,
  storage: WeightStorage,
  machine: MachineReport,
  choice: EngineChoice,
): "kernels" | "wasm" | "webgpu" {
  const gpu = choice === "webgpu" || (choice === "auto" && machine.gpu?.software === false);
  if (gpu) return "webgpu";
  return chooseCpuEngine(config, STORAGE_BITS[storage]);
}

function placeOf({ gpu, cores, crossOriginIsolated, threads }: MachineReport): PlaceReport {
  return {
    threads,
    kernelThreads: Math.min(MOST_THREADS, threads),
    adapter: gpu?.description ?? null,
    software: gpu?.software ?? false,
    cores,
    isolated: crossOriginIsolated,
  };
}
