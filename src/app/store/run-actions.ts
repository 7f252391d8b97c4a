/** Actions on the run: load, make, train, pause, step, stop, reset, settings, saved runs. */
import type { Rubric } from "../../domain/rubric/schema.ts";
import { rowsOfSeed, type SeedRow } from "../../domain/run/records.ts";
import { plannedEditRows, plannedVersions } from "../../domain/run/rubric-versions.ts";
import type { RunSpec, ScenarioPrompt } from "../../domain/run/spec.ts";
import type { Scenario } from "../../domain/scenarios/scenario.ts";
import { requestFault } from "../protocol/client.ts";
import type { EngineChoice, Result } from "../protocol/messages.ts";
import { initialRunState, reduceRun, type RunEvent } from "../protocol/run-machine.ts";
import { EMPTY_RUN, firstFocus, type AppState } from "./app-state.ts";
import { savePrompts } from "./page-storage.ts";
import { freshSpec, ownPromptsOf, setUpIdOf } from "./fresh-spec.ts";
import { armsIn, settingsFromSpec, settingsOf, setUpOf, type Settings } from "./set-up.ts";
import { currentScenario, openKept, type Shop } from "./shop.ts";
import { groupsByArm, latestSteps } from "./worker-events.ts";

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
  readonly chooseScenario: (scenarioId: string) => Promise<void>;
  readonly chooseSetUp: (setUpId: string) => Promise<void>;
  /** New settings, own prompts or another engine mean a fresh run. */
  readonly applySettings: (choice: SetUpChoice) => Promise<void>;
  /** Loads the model on another engine; a fresh run. */
  readonly chooseEngine: (engine: EngineChoice) => Promise<void>;
  readonly resumeSaved: (id: string) => Promise<void>;
  /** A fresh run of a specification from a file, whatever was set here before. */
  readonly openSpec: OpenSpec;
  readonly deleteSaved: (id: string) => Promise<void>;
  readonly exportRows: () => Promise<readonly SeedRow[]>;
}

/** Shows the phase the worker is about to be in, before it answers. */
function expectPhase(shop: Shop, event: RunEvent): void {
  shop.store.setState((state) => ({ run: reduceRun(state.run, event) }));
}

/** A fault becomes the page's. */
async function guarded(shop: Shop, where: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    shop.fail(error, where);
    return false;
  }
}

/** The same for what changes the run: when it is refused, the worker knows how the run stands; without a model it failed. */
async function changing(shop: Shop, where: string, work: () => Promise<unknown>): Promise<boolean> {
  if (await guarded(shop, where, work)) return true;
  shop.store.setState(({ model, fault }) => ({
    opening: null,
    run: model === null ? { ...initialRunState, phase: "failed", fault } : shop.toldRun(),
  }));
  return false;
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
    const chosen = { ...shop.store.getState(), ...choice };
    const { arms, seeds } = chosen.settings;
    const scenario = shop.scenarios.find((known) => known.id === chosen.scenarioId) ?? shop.scenarios[0];
    const spec = freshSpec(chosen, scenario);
    beginOpening(shop, chosen);
    await shop.client.request("createRun", { spec, seeds });
    shop.buffer.clear(seeds);
    shop.store.setState((state) => {
      const kept = arms.some(({ id }) => id === state.focusArm);
      const focusArm = kept ? state.focusArm : firstFocus(arms);
      const run = { ...initialRunState, maxSteps: spec.grpo.max_steps };
      const versions = plannedVersions(spec);
      return {
        ...EMPTY_RUN,
        ...choice,
        ...(choice.settings === undefined ? {} : { target: null }),
        spec,
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
  shop.store.setState({ engineChoice: engine, model: null, msPerAnswer: null, fault: null });
  expectPhase(shop, { type: "load" });
  const loaded = await changing(shop, "loadModel", async () => {
    shop.store.setState({ model: await shop.client.request("loadModel", { engine }), progress: null });
  });
  return loaded && (await createRun(shop, choice));
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
    settings: { ...settingsOf(setUp), arms, seeds: settings.seeds },
    rubric: kept.rubric,
    prompts: kept.prompts,
    undo: kept.rubric === setUp.rubric ? [] : [setUp.rubric],
    rubricProblem: null,
    pinnedCriterion: null,
    hovered: null,
  });
}

/** The person's kept rubric of a set-up, where the run's is another one: an undo away, since the next edit replaces it. */
function keptBeside(shop: Shop, scenario: Scenario, setUpId: string, rubric: Rubric): readonly Rubric[] {
  const kept = openKept(shop.storage, scenario, setUpId).rubric;
  return JSON.stringify(kept) === JSON.stringify(rubric) ? [] : [kept];
}

/** Shows a restored run; the worker holds it already. */
function showRestored(shop: Shop, restored: Result<"resumeRun">): void {
  const { spec, seeds, rows, step, rubric, versions } = restored;
  shop.buffer.clear(seeds);
  shop.buffer.append(rows);
  const scenario = shop.scenarios.find((known) => known.id === spec.scenarioId);
  shop.store.setState((state) => ({
    ...EMPTY_RUN,
    spec,
    seeds,
    scenarioId: scenario?.id ?? state.scenarioId,
    setUpId: scenario === undefined ? state.setUpId : setUpIdOf(spec, scenario),
    settings: settingsFromSpec(spec, seeds),
    prompts: ownPromptsOf(spec, scenario ?? currentScenario(shop)),
    rubric,
    versions,
    rubricProblem: null,
    undo: scenario === undefined ? [] : keptBeside(shop, scenario, setUpIdOf(spec, scenario), rubric),
    latest: latestSteps({}, rows, spec.seed),
    focusArm: firstFocus(spec.arms),
    focusSeed: spec.seed,
    reference: null,
    target: null,
    run: { phase: step === 0 ? "idle" : "paused", step, maxSteps: spec.grpo.max_steps, fault: null },
    fault: null,
    savedRuns: [],
    rowsVersion: state.rowsVersion + 1,
  }));
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

/** Runs kept in the browser. */
function savedRunActions(
  shop: Shop,
): Pick<RunActions, "resumeSaved" | "openSpec" | "deleteSaved" | "exportRows"> {
  return {
    resumeSaved: async (id) => {
      await changing(shop, "resumeRun", async () => {
        const restored = await shop.client.request("resumeRun", { id });
        showRestored(shop, restored);
        const { rollouts } = await newestRollouts(shop, restored.step);
        shop.store.setState((state) => ({ groups: groupsByArm(state.groups, rollouts) }));
      });
    },
    openSpec: async (spec, seeds, compared = {}) => {
      await changing(shop, "createRun", async () => {
        beginOpening(shop, { scenarioId: spec.scenarioId, setUpId: spec.setUpId ?? "" });
        await shop.client.request("createRun", { spec, seeds });
        showRestored(shop, {
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
    deleteSaved: async (id) => {
      await guarded(shop, "deleteRun", async () => {
        await shop.client.request("deleteRun", { id });
        shop.store.setState((state) => ({ savedRuns: state.savedRuns.filter((run) => run.id !== id) }));
      });
    },
    exportRows: async () => (await shop.client.request("exportRows", {})).rows,
  };
}

async function newestRollouts(shop: Shop, step: number) {
  const { spec, focusSeed: seed } = shop.store.getState();
  const answers = await Promise.all(
    (spec?.arms ?? []).map((arm) => shop.client.request("rollouts", { seed, arm: arm.id, step })),
  );
  return { rollouts: answers.flatMap((answer) => answer.groups) };
}

export function createRunActions(shop: Shop): RunActions {
  const { store, client, storage } = shop;
  return {
    ...controls(shop),
    ...savedRunActions(shop),
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
      await loadAndCreate(shop, engine);
    },
  };
}
