/** Actions on files: what the run leaves as one, and what comes back from one. Knows texts and bytes, not how the browser saves them. */
import { PlaygroundError } from "../../base/errors.ts";
import { parseRubricFile, writeRubricFile } from "../../domain/rubric/rubric-file.ts";
import { isSettingsFile, parseSettingsFile } from "../../domain/run/settings-file.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
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
  /** Takes a rubric file's text as an edit, which can be undone; a broken one is told and changes nothing. */
  readonly openRubricFile: (text: string, name: string) => void;
}

interface Takers {
  readonly openSpec: (spec: RunSpec, seeds: readonly number[], reference?: string) => Promise<void>;
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
