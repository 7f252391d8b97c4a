/** What the action modules share: the store, the buffer, the client, and how a scenario is opened. */
import type { StoreApi } from "zustand/vanilla";
import type { FaultMessage } from "../../base/errors.ts";
import type { Scenario } from "../../domain/scenarios/scenario.ts";
import { requestFault, type WorkerClient } from "../protocol/client.ts";
import type { RunState } from "../protocol/run-machine.ts";
import type { AppState } from "./app-state.ts";
import { loadPrompts, loadRubric, type KeyValueStorage } from "./page-storage.ts";
import type { RunBuffer } from "./run-buffer.ts";
import { setUpOf } from "./set-up.ts";

export interface AppDeps {
  readonly client: WorkerClient;
  /** The browser's storage; may throw. */
  readonly openStorage: () => KeyValueStorage;
  /** The storage of this tab's session; may throw. Left out: nothing is kept there. */
  readonly openTab?: () => KeyValueStorage;
  /** The first is opened. */
  readonly scenarios: readonly [Scenario, ...Scenario[]];
}

/** What the action modules work on. */
export interface Shop extends Omit<AppDeps, "openStorage" | "openTab"> {
  readonly storage: KeyValueStorage;
  readonly store: StoreApi<AppState>;
  readonly buffer: RunBuffer;
  /** The run as the worker told it last; the page may be ahead of it. */
  readonly toldRun: () => RunState;
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

/** The rubric and prompts to open a set-up with: the person's kept ones, else the scenario's; what is broken is told. */
export function openKept(storage: KeyValueStorage, scenario: Scenario, setUpId: string): Kept {
  const faults: FaultMessage[] = [];
  const attempt = <T>(load: () => T | null): T | null => {
    try {
      return load();
    } catch (error) {
      faults.push(requestFault(error, "storage"));
      return null;
    }
  };
  const rubric = attempt(() => loadRubric(storage, scenario.id, setUpId));
  const prompts = attempt(() => loadPrompts(storage, scenario.id));
  return { rubric: rubric ?? setUpOf(scenario, setUpId).rubric, prompts, fault: faults[0] ?? null };
}
