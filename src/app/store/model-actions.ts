/** Actions on models: look at one, load one in place of the present one, give up loading, kept ones, a prompt's tokens. */
import type { Params, Result } from "../protocol/messages.ts";
import type { ModelChoice, ModelReport } from "../protocol/model-messages.ts";
import type { ScenarioPrompt } from "../../domain/run/spec.ts";
import { guarded } from "./asking.ts";
import type { RunActions } from "./run-actions.ts";
import type { Shop } from "./shop.ts";

export interface ModelActions {
  /** Configuration, sizes and cost; no weights move. @throws RequestError */
  readonly inspectModel: (choice: ModelChoice) => Promise<ModelReport>;
  /** Loads a model and makes a fresh run on it, in gradient passes of `microBatch` completions; null = as they are set. */
  readonly useModel: (choice: ModelChoice, microBatch: number | null) => Promise<void>;
  readonly cancelLoad: () => Promise<void>;
  /** The models that an id holds, where it holds several. @throws RequestError */
  readonly listModelFiles: (choice: ModelChoice) => Promise<Result<"listModelFiles">["files"]>;
  /** @throws RequestError */
  readonly listKeptModels: () => Promise<Result<"listKeptModels">["models"]>;
  /** @throws RequestError */
  readonly deleteKeptModel: (id: string) => Promise<void>;
  /** What a step of the loaded model will cost. @throws RequestError */
  readonly forecastStep: (size: Params<"forecastStep">["size"]) => Promise<Result<"forecastStep">>;
  /** A prompt as the model reads it; none where it cannot be told (the page says why). */
  readonly promptTokens: (messages: ScenarioPrompt["messages"]) => Promise<Result<"promptTokens">["pieces"]>;
}

export function createModelActions(shop: Shop, { loadFresh }: Pick<RunActions, "loadFresh">): ModelActions {
  const { client, store } = shop;
  return {
    inspectModel: (model) => {
      const { settings, engineChoice: engine } = store.getState();
      const size = { grpo: settings.grpo, arms: settings.arms.length };
      return client.request("inspectModel", { model, engine, size });
    },
    useModel: async (choice, microBatch) => {
      const { settings } = store.getState();
      const grpo = microBatch === null ? settings.grpo : { ...settings.grpo, micro_batch_size: microBatch };
      await loadFresh(choice, { settings: { ...settings, grpo } });
    },
    cancelLoad: async () => {
      await guarded(shop, "cancelLoad", () => client.request("cancelLoad", {}));
    },
    listModelFiles: async (model) => (await client.request("listModelFiles", { model })).files,
    listKeptModels: async () => (await client.request("listKeptModels", {})).models,
    deleteKeptModel: async (id) => {
      await client.request("deleteKeptModel", { id });
    },
    forecastStep: (size) => client.request("forecastStep", { size }),
    promptTokens: async (messages) => {
      try {
        return (await client.request("promptTokens", { messages })).pieces;
      } catch (error) {
        shop.fail(error, "promptTokens");
        return [];
      }
    },
  };
}
