/** Actions on the run: load, make, train, pause, step, stop, reset, settings, saved runs. */
import { rowsOfSeed, type SeedRow } from "../../domain/run/records.ts";
import { plannedEditRows, plannedVersions } from "../../domain/run/rubric-versions.ts";
import { judgesOf } from "../../domain/run/judge-spec.ts";
import type { RunSpec, ScenarioPrompt } from "../../domain/run/spec.ts";
import type { Scenario } from "../../domain/scenarios/scenario.ts";
import { requestFault } from "../protocol/client.ts";
import type { EngineChoice } from "../protocol/model-messages.ts";
import type { ModelChoice } from "../protocol/model-messages.ts";
import { initialRunState, type RunEvent } from "../protocol/run-machine.ts";
import { EMPTY_RUN, firstFocus, type AppState } from "./app-state.ts";
import { changing, expectPhase, loadModel } from "./asking.ts";
import { savePrompts } from "./page-storage.ts";
import { freshSpec, onModel } from "./fresh-spec.ts";
import { goOnWith, onModelOf, showRestored } from "./saved-run-actions.ts";
import { armsIn, settingsOf, setUpOf, type Settings } from "./set-up.ts";
import { startingFrom, startOf, startParams, withStart } from "./starting.ts";
import { currentScenario, openKept, type Shop } from "./shop.ts";

export interface SetUpChoice {
  readonly settings: Settings;
  readonly prompts: readonly ScenarioPrompt[] | null;
  readonly engine: EngineChoice;
}

/** What a run is compared by, where its file says so. */
export type ComparedBy = Partial<Pick<AppState, "reference" | "target">>;
export type OpenSpec = (spec: RunSpec, seeds: readonly number[], compared?: ComparedBy) => Promise<void>;

export interface RunActions {
  /** Loads the model, makes the first run and looks for saved ones. Called once. */
  readonly boot: () => Promise<void>;
  readonly train: () => Promise<void>;
  readonly pause: () => Promise<void>;
  readonly step: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** A fresh run with the present rubric and settings. */
  readonly reset: () => Promise<void>;
  /** A fresh run with the present settings and what is chosen anew. */
  readonly restart: (choice: Partial<AppState>) => Promise<void>;
  readonly chooseScenario: (scenarioId: string) => Promise<void>;
  readonly chooseSetUp: (setUpId: string) => Promise<void>;
  /** New settings, own prompts or another engine mean a fresh run. */
  readonly applySettings: (choice: SetUpChoice) => Promise<void>;
  /** Loads the model on another engine, on which the run goes on. */
  readonly chooseEngine: (engine: EngineChoice) => Promise<void>;
  /** Loads another model and makes a fresh run on it; where that fails, the one before it stays. */
  readonly loadFresh: (model: ModelChoice, choice: Partial<AppState>) => Promise<void>;
  /** Loads the model again, in a new worker where the old one is gone, and goes on from what is kept. */
  readonly recover: () => Promise<void>;
  /** A fresh run of a specification from a file, on its own model, whatever was set here before. */
  readonly openSpec: OpenSpec;
  readonly exportRows: () => Promise<readonly SeedRow[]>;
}

/** The old run's buttons rest until the new one is there; its numbers stay beside the rubric that they belong to. */
function beginOpening(shop: Shop, { scenarioId, setUpId }: Pick<AppState, "scenarioId" | "setUpId">): void {
  shop.store.setState(({ run }) => ({
    opening: { scenarioId, setUpId },
    run: { ...run, phase: "loading", fault: null },
  }));
}

/** A fresh run; the choice takes its place with it, and not before. */
async function createRun(shop: Shop, choice: Partial<AppState> = {}): Promise<boolean> {
  return changing(shop, "createRun", async () => {
    const asked = { ...shop.store.getState(), ...choice };
    const { startAdapter } = asked;
    const settings = withStart(asked.settings, startAdapter);
    const chosen = { ...asked, settings };
    const { arms, seeds } = settings;
    const scenario = shop.scenarios.find((known) => known.id === chosen.scenarioId) ?? shop.scenarios[0];
    const spec = startingFrom(onModel(freshSpec(chosen, scenario), chosen.model), startAdapter);
    beginOpening(shop, chosen);
    const { runId } = await shop.client.request("createRun", { spec, seeds, ...startParams(startAdapter) });
    shop.buffer.clear(seeds);
    shop.store.setState((state) => {
      const kept = arms.some(({ id }) => id === state.focusArm);
      const focusArm = kept ? state.focusArm : firstFocus(arms);
      const run = { ...initialRunState, maxSteps: spec.grpo.max_steps };
      const versions = plannedVersions(spec);
      return {
        ...EMPTY_RUN,
        ...choice,
        settings,
        ...(choice.settings === undefined ? {} : { target: null }),
        spec,
        runId,
        seeds,
        versions,
        run,
        focusArm,
        focusSeed: spec.seed,
        fault: null,
        refused: null,
        rowsVersion: state.rowsVersion + 1,
      };
    });
  });
}

async function loadAndCreate(
  shop: Shop,
  engine: EngineChoice,
  choice: Partial<AppState> = {},
): Promise<boolean> {
  return (await loadModel(shop, engine)) && (await createRun(shop, choice));
}

async function openSetUp(shop: Shop, scenario: Scenario, setUpId: string): Promise<void> {
  const { storage, store } = shop;
  const setUp = setUpOf(scenario, setUpId);
  const kept = openKept(storage, scenario, setUp.id);
  const { scenarioId, setUpId: before, settings } = store.getState();
  const from = setUpOf(shop.scenarios.find((known) => known.id === scenarioId) ?? scenario, before);
  const arms = armsIn(settings.arms, from, setUp);
  if (kept.fault !== null) store.setState({ keptFault: kept.fault });
  await createRun(shop, {
    scenarioId: scenario.id,
    setUpId: setUp.id,
    settings: { ...settingsOf(setUp), arms, seeds: settings.seeds, ...judgesOf(settings) },
    rubric: kept.rubric,
    prompts: kept.prompts,
    redo: [],
    undo: kept.rubric === setUp.rubric ? [] : [setUp.rubric],
    rubricProblem: null,
    pinnedCriterion: null,
    hovered: null,
  });
}

/** What the run's buttons do. */
function controls(shop: Shop): Pick<RunActions, "train" | "pause" | "step" | "stop"> {
  const command = async (name: "train" | "pause" | "step" | "stop", event: RunEvent): Promise<void> => {
    shop.store.setState({ fault: null, savedRuns: [] });
    expectPhase(shop, event);
    await changing(shop, name, () => shop.client.request(name, {}));
  };
  return {
    train: async () => {
      if (shop.store.getState().run.phase === "stopped" && !(await createRun(shop))) return;
      await command("train", { type: "start" });
    },
    step: () => command("step", { type: "start" }),
    pause: () => command("pause", { type: "pause" }),
    stop: () => command("stop", { type: "stop" }),
  };
}

/** What comes and goes as a file. */
function fileRuns(shop: Shop): Pick<RunActions, "openSpec" | "exportRows"> {
  return {
    openSpec: async (spec, seeds, compared = {}) => {
      if (!(await onModelOf(shop, spec))) return;
      await changing(shop, "createRun", async () => {
        beginOpening(shop, { scenarioId: spec.scenarioId, setUpId: spec.setUpId ?? "" });
        const start = startOf(spec, shop.store.getState().startAdapter);
        const { runId } = await shop.client.request("createRun", { spec, seeds, ...startParams(start) });
        showRestored(shop, {
          start: start?.values ?? null,
          runId,
          spec,
          seeds,
          rows: seeds.flatMap((seed) => rowsOfSeed(seed, plannedEditRows(spec))),
          step: 0,
          rubric: spec.rubric,
          versions: plannedVersions(spec),
        });
        shop.store.setState(compared);
      });
    },
    exportRows: async () => (await shop.client.request("exportRows", {})).rows,
  };
}

/** The run at its last good step, or a fresh one where it had not got anywhere. */
async function recover(shop: Shop): Promise<void> {
  const { runId, run, engineChoice, fault } = shop.store.getState();
  const why = fault?.code === "worker-ended" ? "ended" : "loaded";
  if (runId === null || run.step === 0) await loadAndCreate(shop, engineChoice);
  else if (await loadModel(shop, engineChoice)) await goOnWith(shop, runId, { why, was: run.step });
}

export function createRunActions(shop: Shop): RunActions {
  const { store, client, storage } = shop;
  return {
    ...controls(shop),
    ...fileRuns(shop),
    boot: async () => {
      await loadAndCreate(shop, "auto");
      try {
        const { runs } = await client.request("listRuns", {});
        store.setState({ savedRuns: runs.filter((run) => run.step > 0) });
      } catch (error) {
        const fault = requestFault(error, "listRuns");
        store.setState(({ keptFault }) => ({ keptFault: keptFault ?? fault }));
      }
    },
    reset: async () => {
      await createRun(shop);
    },
    restart: async (choice) => {
      await createRun(shop, choice);
    },
    chooseScenario: async (scenarioId) => {
      const scenario = shop.scenarios.find((known) => known.id === scenarioId);
      if (scenario !== undefined) await openSetUp(shop, scenario, scenario.setUps[0].id);
    },
    chooseSetUp: (setUpId) => openSetUp(shop, currentScenario(shop), setUpId),
    applySettings: async ({ settings, prompts, engine }) => {
      const changed = engine !== store.getState().engineChoice;
      const choice = { settings, prompts };
      const made = changed ? loadAndCreate(shop, engine, choice) : createRun(shop, choice);
      if (!(await made)) {
        store.setState({ refused: { settings, prompts } });
        return;
      }
      try {
        savePrompts(storage, currentScenario(shop).id, prompts);
      } catch (error) {
        shop.fail(error, "storage");
      }
    },
    chooseEngine: async (engine) => {
      const { runId, run } = store.getState();
      if (runId === null || run.step === 0) await loadAndCreate(shop, engine);
      else if (await loadModel(shop, engine)) await goOnWith(shop, runId, { why: "loaded" });
    },
    loadFresh: async (model, choice) => {
      const { engineChoice } = store.getState();
      // an adapter belongs to the model that it was made for
      if (await loadModel(shop, engineChoice, model))
        await createRun(shop, { ...choice, startAdapter: null });
    },
    recover: () => recover(shop),
  };
}
