/**
 * The page's store: state, the buffer of raw rows, and the actions. No React, no DOM: client, storage and scenarios
 * are arguments. The worker owns the run; the page says what it wants and shows what comes back.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { requestFault } from "../protocol/client.ts";
import { initialRunState } from "../protocol/run-machine.ts";
import { firstState, type AppState } from "./app-state.ts";
import { createAdapterActions, type AdapterActions } from "./adapter-actions.ts";
import { createFileActions, type FileActions } from "./file-actions.ts";
import { createJudgeActions, type JudgeActions } from "./judge-actions.ts";
import { createLeaveActions, type LeaveActions } from "./leaving.ts";
import { createModelActions, type ModelActions } from "./model-actions.ts";
import { createRubricActions, type RubricActions } from "./rubric-actions.ts";
import { createRunActions, type RunActions } from "./run-actions.ts";
import { createSavedRunActions, type SavedRunActions } from "./saved-run-actions.ts";
import { createRunBuffer, type RunBuffer } from "./run-buffer.ts";
import { settingsOf } from "./set-up.ts";
import { openKept, type AppDeps, type Shop } from "./shop.ts";
import { createViewActions, type ViewActions } from "./view-actions.ts";
import { wasIntroSeen } from "./page-storage.ts";
import { openStorage, visitStorage } from "./visit-storage.ts";
import { onWorkerEvent } from "./worker-events.ts";

export interface App {
  readonly store: StoreApi<AppState>;
  readonly buffer: RunBuffer;
  readonly scenarios: AppDeps["scenarios"];
  readonly actions: RunActions &
    SavedRunActions &
    RubricActions &
    ViewActions &
    FileActions &
    LeaveActions &
    JudgeActions &
    ModelActions &
    AdapterActions;
}

export function createApp(deps: AppDeps): App {
  const scenario = deps.scenarios[0];
  const setUp = scenario.setUps[0];
  const { storage, fault } = openStorage(deps.openStorage);
  const { rubric, prompts, fault: keptFault } = openKept(storage, scenario, setUp.id);
  const choice = { scenarioId: scenario.id, setUpId: setUp.id, settings: settingsOf(setUp), rubric, prompts };
  const store = createStore<AppState>()(() => ({
    ...firstState(choice),
    introSeen: wasIntroSeen(storage),
    keptFault: fault ?? keptFault,
  }));
  const buffer = createRunBuffer();
  let toldRun = initialRunState;
  let knowsKeys = false;
  const shop: Shop = {
    client: deps.client,
    scenarios: deps.scenarios,
    storage,
    store,
    buffer,
    toldRun: () => toldRun,
    fail: (error, where) => {
      store.setState({ fault: requestFault(error, where) });
    },
  };
  const run = { ...createRunActions(shop), ...createRubricActions(shop), ...createViewActions(shop) };
  const saved = createSavedRunActions(shop);
  const actions = {
    ...run,
    ...saved,
    ...createFileActions(shop, run),
    ...createLeaveActions(shop),
    ...createJudgeActions(shop, run, deps.openTab ?? visitStorage),
    ...createModelActions(shop, run),
    ...createAdapterActions(shop, run),
  };
  deps.client.onEvent((event) => {
    const { run: before } = store.getState();
    if (event.kind === "state") toldRun = event.state;
    if (event.kind === "state" && !knowsKeys) actions.sendJudgeKeys();
    if (event.kind === "state") knowsKeys = true;
    if (event.kind === "ended") knowsKeys = false; // a new worker knows none
    if (event.kind === "ended") toldRun = { ...initialRunState, phase: "failed" };
    store.setState((state) => onWorkerEvent(state, event, buffer));
    // once: one that ends while it is being loaded would end again
    if (event.kind === "ended" && before.phase !== "loading") void actions.recover();
  });
  return { store, buffer, scenarios: deps.scenarios, actions };
}
