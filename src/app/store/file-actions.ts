/** Actions on files: what the run leaves as one, and what comes back from one. Knows texts and bytes, not how the browser saves them. */
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import { parseRubricFile, writeRubricFile } from "../../domain/rubric/rubric-file.ts";
import { isSettingsFile, parseSettingsFile } from "../../domain/run/settings-file.ts";
import { seedsSchema } from "../../domain/run/spec.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
import type { AskedCells } from "./app-state.ts";
import type { OpenSpec } from "./run-actions.ts";
import type { Shop } from "./shop.ts";

export interface FileActions {
  /** Every arm's adapter as a PEFT folder, zipped; null where there is none (the page says why). */
  readonly exportAdapters: () => Promise<Uint8Array<ArrayBuffer> | null>;
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
  /** Takes a rubric file's text as an edit, which can be undone; a broken one is told and changes nothing. */
  readonly openRubricFile: (text: string, name: string) => void;
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
    openRubricFile: (text, name) => {
      try {
        if (isSettingsFile(anyJson(text))) throw wrongFile(name);
        replaceRubric(parseRubricFile(text, name));
        store.setState({ fault: null });
      } catch (error) {
        shop.fail(error, name);
      }
    },
  };
}

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

/** Its value; null for a text that is no JSON, which the reader of the rubric tells. */
function anyJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function wrongFile(name: string): PlaygroundError {
  return new PlaygroundError({
    code: "rubric-invalid",
    where: name,
    expected: "a rubric alone",
    got: "a run's settings",
    next: "Open it as “A run's settings”.",
  });
}
