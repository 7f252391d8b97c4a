/** What leaves the worker as a file: rows, the adapters, and the settings from which the run can be repeated. */
import { PlaygroundError } from "../../base/errors.ts";
import { repeatableSpec } from "../../domain/run/rubric-versions.ts";
import { writeSettingsFile } from "../../domain/run/settings-file.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { Handlers } from "./dispatch.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import type { RunSession } from "./run-session.ts";

export function exportHandlers(
  session: Pick<RunSession, "records" | "rows">,
  host: () => LoadedModelHost,
): Pick<Handlers, "exportRows" | "exportAdapters" | "exportSettings"> {
  return {
    exportRows: () => Promise.resolve({ rows: session.rows }),
    exportAdapters: async () => {
      const { zipAdapters } = await import("./adapter-zip.ts"); // with the zip library, when it is wanted
      const { step } = opened(session.records);
      const { info, peftFiles } = host();
      const several = session.records.length > 1;
      const adapters = session.records.flatMap(({ arms, spec }) =>
        arms.map(({ id, adapter }) => ({
          seed: several ? spec.seed : null,
          arm: id,
          files: peftFiles(adapter, spec.grpo.lora),
        })),
      );
      return { zip: zipAdapters(adapters, info.name, step) };
    },
    exportSettings: () => {
      const { spec, rubrics } = opened(session.records);
      const seeds = session.records.map((record) => record.spec.seed);
      return Promise.resolve({
        text: writeSettingsFile({ model: host().info.name, spec: repeatableSpec(spec, rubrics), seeds }),
      });
    },
  };
}

/** The first seed's. */
function opened([record]: readonly RunRecord[]): RunRecord {
  if (record !== undefined) return record;
  const fault = { code: "run-state", where: "export", expected: "a run", got: "none" } as const;
  throw new PlaygroundError({ ...fault, next: "Make one first." });
}
