/** What page and worker say to each other about models: which one, what it costs before a byte of weights moves, and where it runs. */
import type { ChatMessage } from "../../domain/run/spec.ts";
import type { GrpoConfig } from "../../domain/grpo/config.ts";
import type { RunPlan, WeightStorage } from "../../domain/run/memory-plan.ts";

export type EngineChoice = "auto" | "wasm" | "webgpu";

/** What is needed of a browser's File; crosses the worker's edge as it is, unread. */
export interface LocalBytes {
  readonly size: number;
  slice(start: number, end: number): LocalBytes;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A file that a person chose, by its path inside the chosen folder. */
export interface LocalFile {
  readonly path: string;
  readonly bytes: LocalBytes;
}

/** How a model other than the bundled one is used. */
export interface ModelUse {
  readonly storage: WeightStorage;
  /** The chat template's `enable_thinking`. */
  readonly thinking: boolean;
}

export interface HubChoice extends ModelUse {
  readonly kind: "hub";
  /** Owner and name. */
  readonly repo: string;
  /** One GGUF file of the repository; null = what there is. */
  readonly file: string | null;
  /** Branch, tag or commit. */
  readonly revision: string;
  /** Address of the hub or of a mirror of it. */
  readonly endpoint: string;
  /** Sent to the endpoint alone; in memory only. null = none. */
  readonly token: string | null;
}

export type ModelChoice =
  | { readonly kind: "bundled" }
  | HubChoice
  | ({ readonly kind: "files"; readonly files: readonly LocalFile[] } & ModelUse)
  | ({ readonly kind: "url"; readonly url: string } & ModelUse);

/** Where a kept model came from; no token. */
export type KeptPlace =
  | {
      readonly kind: "hub";
      readonly endpoint: string;
      readonly repo: string;
      readonly revision: string;
      readonly file: string | null;
    }
  | { readonly kind: "url"; readonly url: string };

/** A model in the browser's own storage, as it is held in memory: loaded again without a request. */
export interface KeptModelInfo {
  readonly id: string;
  readonly name: string;
  readonly place: KeptPlace;
  readonly storage: WeightStorage;
  /** The commit that was loaded; null where the source has none. */
  readonly commit: string | null;
  /** False where a loading ended early: loading it again goes on with it. */
  readonly complete: boolean;
  readonly sizeBytes: number;
  readonly savedAt: number;
}

/** What is known of the files that a model was loaded from. */
export interface ModelOrigin {
  readonly from: "source" | "storage";
  readonly commit: string | null;
  /** Files whose hash was compared with the hub's when they were downloaded. */
  readonly hashed: readonly string[];
  /** Why it was not kept; null where it was. */
  readonly notKept: string | null;
}

/** One of several models that an id holds. */
export interface ModelFileChoice {
  readonly path: string;
  readonly sizeBytes: number | null;
}

/** Where a model would compute, in words' parts. */
export interface PlaceReport {
  /** Of onnxruntime's WASM. */
  readonly threads: number;
  /** Of the playground's own kernels. */
  readonly kernelThreads: number;
  readonly adapter: string | null;
  readonly software: boolean;
  readonly cores: number;
  readonly isolated: boolean;
}

/** A model looked at: its header is read, its weights are not. */
export interface ModelReport {
  readonly name: string;
  readonly architecture: string;
  readonly parameters: number;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly vocabSize: number;
  /** Of weights, yet to be fetched; 0 = they are on this computer. */
  readonly downloadBytes: number;
  /** In which it is kept in this browser already: nothing is fetched for these. */
  readonly keptAs: readonly WeightStorage[];
  /** True where the chat template knows `enable_thinking`. */
  readonly thinks: boolean;
  readonly place: PlaceReport;
  /** For every storage, on the engine that would be taken. */
  readonly plans: readonly RunPlan[];
}

/** What a step will cost: memory, and time from the measured speed. */
export interface StepForecast {
  readonly plan: RunPlan;
  /** null before the speed was measured. */
  readonly stepMs: number | null;
}

/** Settings that memory and time depend on. */
export interface RunSize {
  readonly grpo: GrpoConfig;
  readonly arms: number;
}

/** A token as the model reads it. */
export interface PromptPiece {
  readonly id: number;
  readonly text: string;
}

export interface ModelRequests {
  /** Reads configuration and sizes, no weights. @throws `model-unsupported` with what is supported */
  inspectModel: { params: { model: ModelChoice; engine: EngineChoice; size: RunSize }; result: ModelReport };
  /** The GGUF files of a hub's repository, where `model-file-choice` asks for one of them. */
  listModelFiles: { params: { model: ModelChoice }; result: { files: readonly ModelFileChoice[] } };
  listKeptModels: { params: Record<string, never>; result: { models: readonly KeptModelInfo[] } };
  deleteKeptModel: { params: { id: string }; result: Record<string, never> };
  /** Ends the loading in progress; what was there before stays. */
  cancelLoad: { params: Record<string, never>; result: Record<string, never> };
  /** What a step of the loaded model will cost. */
  forecastStep: { params: { size: RunSize }; result: StepForecast };
  /** A chat's exact tokens, with the template's own. */
  promptTokens: {
    params: { messages: readonly ChatMessage[] };
    result: { pieces: readonly PromptPiece[] };
  };
}
