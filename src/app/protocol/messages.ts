/**
 * The typed messages between page and worker. `RequestMap` names each request with its parameters and result;
 * the worker's handlers and the page's client are derived from it, so a request without a handler does not compile.
 */
import type { FaultMessage } from "../../base/errors.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
import type { Judgement } from "../../domain/rubric/verdicts.ts";
import type { RolloutGroup, SeedRow } from "../../domain/run/records.ts";
import type { RubricVersion } from "../../domain/run/rubric-versions.ts";
import type { ModelIdentity, RunSpec } from "../../domain/run/spec.ts";
import type { AdapterRequests } from "./adapter-messages.ts";
import type { ChatEvent, ChatRequests } from "./chat-messages.ts";
import type { JudgeRequests, JudgeUsages } from "./judge-messages.ts";
import type { EngineChoice, ModelChoice, ModelOrigin, ModelRequests } from "./model-messages.ts";
import type { RunState } from "./run-machine.ts";
import type { ScoringRequests } from "./scoring-messages.ts";

/** What runs where, in the header's chip and the set-up sheet. */
export interface ModelInfo {
  readonly name: string;
  /** As a run's specification names it; null = the bundled model. */
  readonly identity: ModelIdentity | null;
  readonly architecture: string;
  readonly parameters: number;
  readonly sizeBytes: number;
  readonly adapterParameters: number;
  readonly engine: "wasm" | "webgpu";
  /** What computes: "kernels" and "wasm" are both WASM to a person. */
  readonly runsOn: "kernels" | "wasm" | "webgpu";
  readonly threads: number;
  readonly adapter: string | null;
  /** Why this engine, with the calibration's figures. */
  readonly reason: string;
  /** Absent where nothing is known of it: the bundled model, files of this computer. */
  readonly origin?: ModelOrigin | null;
  /** Engines that work here, for the override. */
  readonly available: readonly ("wasm" | "webgpu")[];
}

/** One state of a run that was kept. */
export interface SavedCheckpoint {
  readonly id: string;
  readonly step: number;
  readonly savedAt: number;
  readonly sizeBytes: number;
}

/** Where runs are kept: files hold several checkpoints a run, the browser's database only the newest. */
export type RunPlace = "files" | "database";

/** A run kept in the browser, offered after a reload. */
export interface SavedRun {
  readonly id: string;
  readonly scenarioId: string;
  /** Of the newest checkpoint, as is `step`. */
  readonly savedAt: number;
  readonly step: number;
  readonly maxSteps: number;
  /** Of all checkpoints. */
  readonly sizeBytes: number;
  /** Newest first; never empty. */
  readonly checkpoints: readonly SavedCheckpoint[];
  /** Name of the model it was trained on; absent in entries of older builds. */
  readonly model?: string | undefined;
  /** True while another tab works on it. */
  readonly openElsewhere?: boolean | undefined;
  /** Of the first seed. */
  readonly spec: RunSpec;
  /** All seeds; absent in entries of older builds, which have one. */
  readonly seeds?: readonly number[] | undefined;
}

export interface RequestMap
  extends ModelRequests, AdapterRequests, ChatRequests, JudgeRequests, ScoringRequests {
  /** Fetches a model (the bundled one where none is named), picks the engine (calibration unless chosen), compiles. */
  loadModel: { params: { engine: EngineChoice; model?: ModelChoice }; result: ModelInfo };
  /**
   * A fresh run of every seed, idle at step 0 after the base evaluation has been scheduled; replaces the current one. `start` is
   * the adapter that the specification starts from, where it names one.
   */
  createRun: {
    params: { spec: RunSpec; seeds: readonly number[]; start?: Float32Array };
    result: { runId: string };
  };
  /** Trains until max_steps, pause or stop. */
  train: { params: Record<string, never>; result: Record<string, never> };
  /** One GRPO step of every seed and arm. */
  step: { params: Record<string, never>; result: Record<string, never> };
  /** Ends within one decoding chunk; the run stays at its last finished step. */
  pause: { params: Record<string, never>; result: Record<string, never> };
  stop: { params: Record<string, never>; result: Record<string, never> };
  /** Applies at the next step; alpha of unchanged criteria is kept. */
  editRubric: { params: { rubric: Rubric }; result: { rubricVersion: number; fromStep: number } };
  /** Follows one prompt of the run through training: its rollouts in every arm at every evaluation. null = none. */
  pinPrompt: { params: { promptId: string | null }; result: Record<string, never> };
  /** Checks one answer against a rubric, without a run. */
  tryRubric: {
    params: { rubric: Rubric; promptId: string | null; answer: string };
    result: { judgements: readonly Judgement[] };
  };
  /** Earlier rollouts kept for the inspector; none when they were not kept. */
  rollouts: {
    params: { seed: number; arm: string; step: number };
    result: { groups: readonly RolloutGroup[] };
  };
  /** Whose rollouts are sent and measured from now on, and who answers in the chat; with what there is of it already. */
  focusSeed: {
    params: { seed: number };
    result: { groups: readonly RolloutGroup[]; pinned: readonly RolloutGroup[] };
  };
  listRuns: {
    params: Record<string, never>;
    result: { place: RunPlace; runs: readonly SavedRun[] };
  };
  /**
   * Restores a run with its rows; it stands paused at its step. `rubric` is its newest version. `checkpoint` null: where it
   * stands, in the worker if that has it, else at its newest checkpoint; an earlier one opens as a run of its own.
   */
  resumeRun: {
    params: { id: string; checkpoint: string | null };
    result: {
      runId: string;
      spec: RunSpec;
      seeds: readonly number[];
      rows: readonly SeedRow[];
      step: number;
      rubric: Rubric;
      versions: readonly RubricVersion[];
      /** The adapter that it started from, to start from again; null for a fresh one. */
      start: Float32Array | null;
    };
  };
  /** Keeps a checkpoint now, at the last finished step, where there is something new. */
  saveRun: { params: Record<string, never>; result: Record<string, never> };
  /** Multiplies the learning rate of every arm from the next step on; it stays in the run's settings. */
  scaleLearningRate: { params: { factor: number }; result: Record<string, never> };
  deleteRun: { params: { id: string }; result: Record<string, never> };
  /** Every raw row of the current run. */
  exportRows: { params: Record<string, never>; result: { rows: readonly SeedRow[] } };
  /** Every seed's and arm's adapter as a PEFT folder, in one zip. */
  exportAdapters: { params: Record<string, never>; result: { zip: Uint8Array<ArrayBuffer> } };
  /** The settings file from which the run can be repeated, its rubric edits included. */
  exportSettings: { params: Record<string, never>; result: { text: string } };
}
export type RequestName = keyof RequestMap;
export type Params<Name extends RequestName> = RequestMap[Name]["params"];
export type Result<Name extends RequestName> = RequestMap[Name]["result"];

/** Progress of what takes time; `leftMs` is null until it can be told. */
export interface Progress {
  readonly phase: "fetch" | "wait" | "calibrate" | "compile" | "evaluate" | "train";
  readonly done: number;
  readonly total: number;
  readonly unit: "bytes" | "samples" | "steps" | "tries";
  readonly leftMs: number | null;
}

/** What the worker says by itself. */
export type WorkerEvent =
  | ChatEvent
  | { readonly kind: "progress"; readonly progress: Progress | null }
  | { readonly kind: "state"; readonly state: RunState }
  /** At most four a second. */
  | { readonly kind: "rows"; readonly rows: readonly SeedRow[]; readonly stepsPerSecond: number | null }
  /** The newest rollouts of the seed in focus, one group per arm and prompt. */
  | { readonly kind: "rollouts"; readonly seed: number; readonly groups: readonly RolloutGroup[] }
  /** The pinned prompt's rollouts, at evaluations. */
  | { readonly kind: "pinned"; readonly seed: number; readonly groups: readonly RolloutGroup[] }
  /** At most four a second. */
  | { readonly kind: "judge"; readonly usages: JudgeUsages }
  | { readonly kind: "saved"; readonly id: string; readonly step: number }
  | { readonly kind: "fault"; readonly fault: FaultMessage }
  /** The worker lives as long as it holds this Web Lock. */
  | { readonly kind: "alive"; readonly lock: string }
  /** Said by the page's end: the worker is gone, and with it what was not kept. */
  | { readonly kind: "ended" };

export type ToWorker = {
  [Name in RequestName]: { readonly id: number; readonly name: Name; readonly params: Params<Name> };
}[RequestName];

export type FromWorker =
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "error"; readonly id: number; readonly fault: FaultMessage }
  | { readonly kind: "event"; readonly event: WorkerEvent };
