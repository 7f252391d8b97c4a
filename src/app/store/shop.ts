/** What the action modules share: the store, the buffer, the client, and how a scenario is opened. */
import type { StoreApi } from "zustand/vanilla";
import type { FaultMessage } from "../../base/errors.ts";
import type { Scenario } from "../../domain/scenarios/scenario.ts";
import { requestFault, type WorkerClient } from "../protocol/client.ts";
import type { AppState } from "./app-state.ts";
import { loadPrompts, loadRubric, type KeyValueStorage } from "./page-storage.ts";
import type { RunBuffer } from "./run-buffer.ts";
import { setUpOf } from "./set-up.ts";

export interface AppDeps {
  readonly client: WorkerClient;
  readonly storage: KeyValueStorage;
  /** The first is opened. */
  readonly scenarios: readonly [Scenario, ...Scenario[]];
}

/** What the action modules work on. */
export interface Shop extends AppDeps {
  readonly store: StoreApi<AppState>;
  readonly buffer: RunBuffer;
  /** Shows a thrown value as the page's fault. */
  fail(error: unknown, where: string): void;
}

/** The chosen scenario. */
export function currentScenario(shop: Shop): Scenario {
  const { scenarioId } = shop.store.getState();
  return shop.scenarios.find((scenario) => scenario.id === scenarioId) ?? shop.scenarios[0];
}

export interface Kept {
  readonly rubric: AppState["rubric"];
  readonly prompts: AppState["prompts"];
  readonly fault: FaultMessage | null;
}

/** The rubric and prompts to open a set-up with: the person's kept ones, else the scenario's; a broken record is told. */
export function openKept(storage: KeyValueStorage, scenario: Scenario, setUpId: string): Kept {
  const own = setUpOf(scenario, setUpId).rubric;
  try {
    const rubric = loadRubric(storage, scenario.id, setUpId) ?? own;
    return { rubric, prompts: loadPrompts(storage, scenario.id), fault: null };
  } catch (error) {
    return { rubric: own, prompts: null, fault: requestFault(error, "storage") };
  }
}
