/** What leaves the worker as a file: rows, adapters, a merged model, the settings that repeat the run, and all of a run. */
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import { repeatableSpec } from "../../domain/run/rubric-versions.ts";
import { writeSettingsFile } from "../../domain/run/settings-file.ts";
import { loraLayout } from "../../engine/nn/lora.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { Params, Result } from "../protocol/messages.ts";
import type { ArmAdapter } from "./adapter-zip.ts";
import type { Handlers } from "./dispatch.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import type { RunSession } from "./run-session.ts";
import { nextTurn } from "./turns.ts";

type Exports = "exportRows" | "exportAdapters" | "exportSettings" | "exportRun" | "exportMerged";
type Session = Pick<RunSession, "records" | "rows">;

export function exportHandlers(session: Session, host: () => LoadedModelHost): Pick<Handlers, Exports> {
  const settings = (): string => {
    const { spec, rubrics } = opened(session.records);
    const seeds = session.records.map((record) => record.spec.seed);
    return writeSettingsFile({ model: host().info.name, spec: repeatableSpec(spec, rubrics), seeds });
  };
  return {
    exportRows: () => Promise.resolve({ rows: session.rows }),
    exportAdapters: async () => {
      const { step } = opened(session.records);
      const { zipAdapters } = await import("./adapter-zip.ts"); // with the zip library, when it is wanted
      const { adapters, base } = await peftFolders(session.records, host());
      return { zip: zipAdapters(adapters, base, step) };
    },
    exportSettings: () => Promise.resolve({ text: settings() }),
    exportRun: async () => {
      const { records, rows } = session;
      opened(records);
      const { zipRun } = await import("./run-zip.ts");
      const { info: model } = host();
      return {
        zip: zipRun({ ...(await peftFolders(records, host())), records, rows, model, settings: settings() }),
      };
    },
    exportMerged: (params) => exportMerged(opened(ofSeed(session.records, params.seed)), host(), params),
  };
}

/** Every arm's adapter as PEFT's files, and the one that the run started from. */
async function peftFolders(records: readonly RunRecord[], { info, model }: LoadedModelHost) {
  const { writePeftAdapter } = await import("../../engine/weights/peft-adapter.ts");
  const { baseModelOf } = await import("./base-model.ts");
  const { spec, start } = opened(records);
  const base = baseModelOf(info);
  const layout = loraLayout(model.config, spec.grpo.lora);
  const several = records.length > 1;
  const adapters = records.flatMap(({ arms, spec: { seed } }) =>
    arms.map(({ id, adapter }): ArmAdapter => {
      const files = writePeftAdapter(adapter, layout, base);
      return { seed: several ? seed : null, arm: id, files };
    }),
  );
  const started: ArmAdapter | null =
    start === null
      ? null
      : {
          seed: null,
          arm: spec.startAdapter?.name ?? "start",
          files: writePeftAdapter(start, layout, base),
        };
  return { adapters, base, start: started };
}

/** @throws PlaygroundError as `zipMerged` and `writeHfConfig` */
async function exportMerged(
  { arms, spec }: RunRecord,
  { model }: LoadedModelHost,
  { arm, dtype: wanted }: Params<"exportMerged">,
): Promise<Result<"exportMerged">> {
  const { loadedDtype, mergedBytes, mergedModelFiles, mergedSafetensors } =
    await import("../../engine/weights/merged-model.ts");
  const { zipMerged } = await import("./merged-zip.ts");
  const { adapter } = defined(
    arms.find(({ id }) => id === arm),
    `arm "${arm}"`,
  );
  const { config, weights, endTokenIds, tokenizerFiles } = model;
  const dtype = wanted ?? loadedDtype(weights);
  const request = { config, weights, layout: loraLayout(config, spec.grpo.lora), adapter, dtype };
  const sizeBytes = mergedBytes(request);
  const files = mergedModelFiles(config, endTokenIds, tokenizerFiles, dtype);
  const zip = await zipMerged({ dtype, sizeBytes, files, weights: mergedSafetensors(request) }, nextTurn);
  return { zip, dtype };
}

function ofSeed(records: readonly RunRecord[], seed: number): readonly RunRecord[] {
  return records.filter(({ spec }) => spec.seed === seed);
}

/** The first seed's. */
function opened([record]: readonly RunRecord[]): RunRecord {
  if (record !== undefined) return record;
  const fault = { code: "run-state", where: "export", expected: "a run", got: "none" } as const;
  throw new PlaygroundError({ ...fault, next: "Make one first." });
}
