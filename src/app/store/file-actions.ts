/** Actions on files: what the run leaves as one, and what comes back from one. Knows texts and bytes, not how the browser saves them. */
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import type { RubricSet } from "../../domain/rubric/formats/rubric-set.ts";
import { writeRubricFile } from "../../domain/rubric/rubric-file.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
import { judgesOf } from "../../domain/run/judge-spec.ts";
import { parseSettingsFile } from "../../domain/run/settings-file.ts";
import { seedsSchema, type ScenarioPrompt } from "../../domain/run/spec.ts";
import type { Params, Result } from "../protocol/messages.ts";
import type { AppState, AskedCells } from "./app-state.ts";
import { savePrompts, saveRubric } from "./page-storage.ts";
import { onModel } from "./fresh-spec.ts";
import type { OpenSpec } from "./run-actions.ts";
import { buildSpec, settingsOf } from "./set-up.ts";
import type { Shop } from "./shop.ts";
import { startingFrom, withStart } from "./starting.ts";

export interface FileActions {
  /** Every arm's adapter as a PEFT folder, zipped; null where there is none (the page says why). */
  readonly exportAdapters: () => Promise<Uint8Array<ArrayBuffer> | null>;
  /** All of the run in one zip; null where there is none. */
  readonly exportRun: () => Promise<Uint8Array<ArrayBuffer> | null>;
  /** The model with an arm's adapter merged into it; null where it cannot be had. */
  readonly exportMerged: (params: Params<"exportMerged">) => Promise<Result<"exportMerged"> | null>;
  /** The run's settings with every version of its rubric; null where there is none. */
  readonly exportSettings: () => Promise<string | null>;
  /** The rubric on the page. */
  readonly exportRubric: () => string;
  /** Starts a fresh run of a settings file's text; a broken one is told and changes nothing. */
  readonly openSettingsFile: (text: string, name: string) => Promise<void>;
  /** Reads an experiment's file and answers how many cells it has, 0 for a broken one; `openCell` starts one of them. */
  readonly readExperiment: (text: string, name: string) => Promise<number>;
  /** Starts a fresh run of a cell of the experiment that was read; one that does not fit is told and changes nothing. */
  readonly openCell: (at: number) => Promise<void>;
  /** Forgets the experiment that was read. */
  readonly closeExperiment: () => void;
  /** Shows a rubric's file before anything is taken of it, or the forms to save the rubric in; null closes either. */
  readonly askRubric: (asked: AppState["askedRubric"]) => void;
  /**
   * Takes a rubric: alone as an edit, which can be undone; with prompts as a fresh run of “Your own prompts” with it. Every
   * fourth prompt is held out.
   */
  readonly takeRubric: (set: RubricSet) => Promise<void>;
}

interface Takers {
  readonly openSpec: OpenSpec;
  readonly replaceRubric: (rubric: Rubric) => void;
}

export function createFileActions(shop: Shop, { openSpec, replaceRubric }: Takers): FileActions {
  const { client, store } = shop;
  const told = async <T>(where: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      shop.fail(error, where);
      return null;
    }
  };
  return {
    exportAdapters: () => told("export", async () => (await client.request("exportAdapters", {})).zip),
    exportRun: () => told("export", async () => (await client.request("exportRun", {})).zip),
    exportMerged: (params) => told("export", () => client.request("exportMerged", params)),
    exportSettings: () => told("export", async () => (await client.request("exportSettings", {})).text),
    exportRubric: () => writeRubricFile(store.getState().rubric),
    openSettingsFile: async (text, name) => {
      await told(name, async () => {
        const { spec, seeds } = parseSettingsFile(text, name);
        await openSpec(spec, seeds);
      });
    },
    readExperiment: async (text, name) => {
      const asked = await told(name, () => readExperiment(text, name));
      store.setState(asked === null ? { askedCells: null } : { askedCells: asked, fault: null });
      return asked?.cells.length ?? 0;
    },
    openCell: async (at) => {
      const asked = store.getState().askedCells;
      store.setState({ askedCells: null });
      if (asked === null) return;
      await told(asked.source, async () => {
        const { spec, seeds } = await runOfCell(asked, at);
        const { baseline: reference, target = null } = asked.experiment;
        await openSpec(spec, seeds, { reference, target });
      });
    },
    closeExperiment: () => {
      store.setState({ askedCells: null });
    },
    askRubric: (asked) => {
      store.setState({ askedRubric: asked });
    },
    takeRubric: async ({ title, criteria, prompts }) => {
      const rubric = { title, criteria };
      store.setState({ fault: null });
      if (prompts.length === 0) replaceRubric(rubric);
      else await told(title, () => startOnPrompts(shop, openSpec, rubric, prompts));
    },
  };
}

/** A fresh run on prompts that came with a rubric, on the model at hand with its judges; both are kept for the next visit. */
async function startOnPrompts(
  shop: Shop,
  openSpec: OpenSpec,
  rubric: Rubric,
  prompts: readonly ScenarioPrompt[],
): Promise<void> {
  const scenario = defined(
    shop.scenarios.find(({ id }) => id === OWN_PROMPTS),
    "the scenario of own prompts",
  );
  const setUp = scenario.setUps[0];
  const { settings: before, model, startAdapter } = shop.store.getState();
  const { seeds } = before;
  const settings = withStart({ ...settingsOf(setUp), seeds, ...judgesOf(before) }, startAdapter);
  const made = buildSpec({ scenario, setUpId: setUp.id, settings, rubric, prompts });
  await openSpec(startingFrom(onModel(made, model), startAdapter), seeds);
  savePrompts(shop.storage, scenario.id, prompts);
  saveRubric(shop.storage, scenario.id, setUp.id, rubric);
}

const OWN_PROMPTS = "your-own-prompts";

/** The reader comes with the first file. */
const reader = () => import("../../domain/experiment/experiment-file.ts");

async function readExperiment(text: string, source: string): Promise<AskedCells> {
  const { parseExperiment, cellsOf } = await reader();
  const experiment = parseExperiment(text, source);
  if (experiment.base !== "good") throw otherBase(source, experiment.base);
  return { experiment, cells: cellsOf(experiment), source };
}

async function runOfCell({ experiment, cells, source }: AskedCells, at: number) {
  const { specOfSeed } = await reader();
  const cell = defined(cells[at], "a cell of the experiment");
  const seeds = seedsSchema.safeParse(cell.seeds);
  if (!seeds.success) throw tooManySeeds(source, cell.seeds.length);
  const spec = specOfSeed(experiment, cell, seeds.data[0] ?? 0, source);
  return { spec: { ...spec, setUpId: experiment.setUp }, seeds: seeds.data };
}

function otherBase(source: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "config-invalid",
    where: `${source}, base`,
    expected: `"good", the bundled model as the page loads it`,
    got: `"${got}"`,
    next: "Run it with npm run experiment, or set base to good.",
  });
}

function tooManySeeds(source: string, got: number): PlaygroundError {
  return new PlaygroundError({
    code: "config-invalid",
    where: `${source}, seeds`,
    expected: "16 seeds at most in the page",
    got: String(got),
    next: "Leave some out here, or run it with npm run experiment.",
  });
}
