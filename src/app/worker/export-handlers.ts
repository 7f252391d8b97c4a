/** What leaves the worker as a file: rows, the adapters, and the settings from which the run can be repeated. */
import { PlaygroundError } from "../../base/errors.ts";
import { repeatableSpec } from "../../domain/run/rubric-versions.ts";
import { writeSettingsFile } from "../../domain/run/settings-file.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { Handlers } from "./dispatch.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import type { RunSession } from "./run-session.ts";

export function exportHandlers(
  session: Pick<RunSession, "record">,
  host: () => LoadedModelHost,
): Pick<Handlers, "exportRows" | "exportAdapters" | "exportSettings"> {
  return {
    exportRows: () => Promise.resolve({ rows: session.record?.rows ?? [] }),
    exportAdapters: async () => {
      const { zipAdapters } = await import("./adapter-zip.ts"); // with the zip library, when it is wanted
      const { arms, spec, step } = opened(session.record);
      const { info, peftFiles } = host();
      const adapters = arms.map(({ id, adapter }) => ({
        arm: id,
        files: peftFiles(adapter, spec.grpo.lora),
      }));
      return { zip: zipAdapters(adapters, info.name, step) };
    },
    exportSettings: () => {
      const { spec, rubrics } = opened(session.record);
      return Promise.resolve({
        text: writeSettingsFile({ model: host().info.name, spec: repeatableSpec(spec, rubrics) }),
      });
    },
  };
}

function opened(record: RunRecord | null): RunRecord {
  if (record !== null) return record;
  const fault = { code: "run-state", where: "export", expected: "a run", got: "none" } as const;
  throw new PlaygroundError({ ...fault, next: "Make one first." });
}
