/** Actions on runs that are kept: listed, gone on with, deleted, kept now; and a run that stopped by itself, sent on. */
import type { Rubric } from "../../domain/rubric/schema.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import type { Scenario } from "../../domain/scenarios/scenario.ts";
import type { Result } from "../protocol/messages.ts";
import { EMPTY_RUN, firstFocus, type WentOn } from "./app-state.ts";
import { changing, guarded } from "./asking.ts";
import { ownPromptsOf, setUpIdOf } from "./fresh-spec.ts";
import { settingsFromSpec } from "./set-up.ts";
import { currentScenario, openKept, type Shop } from "./shop.ts";
import { groupsByArm, latestSteps } from "./worker-events.ts";

export interface SavedRunActions {
  /** Every run that is kept; null where they cannot be listed (the page says why). */
  readonly listSaved: () => Promise<Result<"listRuns"> | null>;
  /** Goes on with a run, on its own model; at an earlier checkpoint as a run of its own. null = the newest. */
  readonly resumeSaved: (id: string, checkpoint?: string | null) => Promise<void>;
  readonly deleteSaved: (id: string) => Promise<void>;
  /** Keeps a checkpoint now, since the page may end. */
  readonly keepCheckpoint: () => Promise<void>;
  /** Goes on with half the learning rate, which stays in the run's settings. */
  readonly goOnSlower: (train: () => Promise<void>) => Promise<void>;
}

const SLOWER = 0.5;

export function createSavedRunActions(shop: Shop): SavedRunActions {
  const { client, store } = shop;
  return {
    listSaved: async () => {
      try {
        return await client.request("listRuns", {});
      } catch (error) {
        shop.fail(error, "listRuns");
        return null;
      }
    },
    resumeSaved: async (id, checkpoint = null) => {
      if (await onItsModel(shop, id)) await goOnWith(shop, id, { why: "opened", checkpoint });
    },
    deleteSaved: async (id) => {
      await guarded(shop, "deleteRun", async () => {
        await client.request("deleteRun", { id });
        store.setState((state) => ({ savedRuns: state.savedRuns.filter((run) => run.id !== id) }));
      });
    },
    keepCheckpoint: async () => {
      if (store.getState().run.step > 0) await guarded(shop, "saveRun", () => client.request("saveRun", {}));
    },
    goOnSlower: async (train) => {
      const scaled = await guarded(shop, "scaleLearningRate", () =>
        client.request("scaleLearningRate", { factor: SLOWER }),
      );
      if (scaled) await train();
    },
  };
}

async function onItsModel(shop: Shop, id: string): Promise<boolean> {
  let loaded = true;
  await guarded(shop, "listRuns", async () => {
    const { runs } = await shop.client.request("listRuns", {});
    const spec = runs.find((run) => run.id === id)?.spec;
    if (spec !== undefined) loaded = await onModelOf(shop, spec);
  });
  return loaded;
}

/** The model that a specification names is there, or was loaded; also true where only the worker can say that it is not. */
export async function onModelOf(shop: Shop, { model }: RunSpec): Promise<boolean> {
  const wanted = model ?? null;
  const here = shop.store.getState().model?.identity ?? null;
  if (JSON.stringify(here) === JSON.stringify(wanted)) return true;
  return (await import("./model-of-run.ts")).loadModelOf(shop, wanted);
}

/** The person's kept rubric of a set-up, where the run's is another one: an undo away, since the next edit replaces it. */
function keptBeside(shop: Shop, scenario: Scenario, setUpId: string, rubric: Rubric): readonly Rubric[] {
  const kept = openKept(shop.storage, scenario, setUpId).rubric;
  return JSON.stringify(kept) === JSON.stringify(rubric) ? [] : [kept];
}

/** Shows a restored run; the worker holds it already. */
export function showRestored(shop: Shop, restored: Result<"resumeRun">): void {
  const { runId, spec, seeds, rows, step, rubric, versions, start } = restored;
  shop.buffer.clear(seeds);
  shop.buffer.append(rows);
  const scenario = shop.scenarios.find((known) => known.id === spec.scenarioId);
  shop.store.setState((state) => ({
    ...EMPTY_RUN,
    spec,
    runId,
    seeds,
    scenarioId: scenario?.id ?? state.scenarioId,
    setUpId: scenario === undefined ? state.setUpId : setUpIdOf(spec, scenario),
    settings: settingsFromSpec(spec, seeds),
    startAdapter:
      start === null || spec.startAdapter === undefined ? null : { start: spec.startAdapter, values: start },
    prompts: ownPromptsOf(spec, scenario ?? currentScenario(shop)),
    rubric,
    versions,
    rubricProblem: null,
    redo: [],
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

export interface GoingOn {
  readonly why: WentOn["why"];
  /** The step it had reached, where it is known. */
  readonly was?: number;
  /** null = the newest, or where the worker has it. */
  readonly checkpoint?: string | null;
}

/** Goes on with a run and says from which step. */
export async function goOnWith(
  shop: Shop,
  id: string,
  { why, was, checkpoint = null }: GoingOn,
): Promise<void> {
  await changing(shop, "resumeRun", async () => {
    const restored = await shop.client.request("resumeRun", { id, checkpoint });
    const { step } = restored;
    showRestored(shop, restored);
    shop.store.setState({ wentOn: { step, why, again: was === undefined ? null : was - step } });
    const { rollouts } = await newestRollouts(shop, step);
    shop.store.setState((state) => ({ groups: groupsByArm(state.groups, rollouts) }));
  });
}

async function newestRollouts(shop: Shop, step: number) {
  const { spec, focusSeed: seed } = shop.store.getState();
  const answers = await Promise.all(
    (spec?.arms ?? []).map((arm) => shop.client.request("rollouts", { seed, arm: arm.id, step })),
  );
  return { rollouts: answers.flatMap((answer) => answer.groups) };
}
