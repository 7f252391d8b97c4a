/** A settings file that the page saved, as an experiment of its own: the same run, by its own seed or by several. */
import { basename } from "node:path";
import { parseSettingsFile } from "../domain/run/settings-file.ts";
import type { ModelIdentity, RunSpec } from "../domain/run/spec.ts";
import { parseExperiment } from "../domain/experiment/experiment-file.ts";
import type { Experiment } from "../domain/experiment/experiment-schema.ts";

export interface SettingsRun {
  readonly experiment: Experiment;
  readonly specOf: (seed: number) => RunSpec;
  /** Name of the model that the settings were saved with. */
  readonly model: string;
  /** The same where it is none of the bundled ones; null = bundled. */
  readonly identity: ModelIdentity | null;
}

/**
 * @param source path of the file; its name becomes the experiment's
 * @param seeds such as "1,2,3"; the file's own where it is undefined
 * @throws PlaygroundError `config-invalid` or `rubric-invalid`, naming every problem
 */
export function settingsRun(text: string, source: string, seeds: string | undefined): SettingsRun {
  const { spec, model, seeds: saved } = parseSettingsFile(text, source);
  const arms = spec.arms.map(({ id, rule }) => ({ id, rule }));
  const own = {
    name: nameOf(source),
    question: `What does the run of ${basename(source)} give?`,
    scenario: spec.scenarioId,
    setUp: spec.setUpId ?? "unknown",
    seeds: seeds?.split(",").map((seed) => (seed.trim() === "" ? seed : Number(seed))) ?? saved,
    arms,
    baseline: (arms.find(({ rule }) => rule === "static-scalar") ?? arms[0])?.id,
    evaluateEvery: spec.evaluateEvery,
    evaluationSamples: spec.evaluationSamples,
  };
  const experiment = parseExperiment(JSON.stringify(own), source);
  return { experiment, model, identity: spec.model ?? null, specOf: (seed) => ({ ...spec, seed }) };
}

/** The file's name as a folder's: lower-case letters, digits and dashes. */
function nameOf(source: string): string {
  const name = basename(source, ".json").toLowerCase();
  return name.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "run";
}
