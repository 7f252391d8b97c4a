/**
 * What an experiment is: cells x arms x seeds of a scenario's set-up, as a JSON file. The command line and the page read
 * it alike; a mistake is answered with its place and what was expected there.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { parseJson, problemsError, problemsOf } from "../rubric/schema-problems.ts";
import { parseRunSpec } from "../run/parse-run-spec.ts";
import type { RunSpec } from "../run/spec.ts";
import { scenarios } from "../scenarios/registry.ts";
import type { Scenario, ScenarioSetUp } from "../scenarios/scenario.ts";
import { withFlatWeight } from "../scenarios/set-ups.ts";
import { experimentSchema, type Experiment } from "./experiment-schema.ts";

/** One setting of an experiment, with everything that it takes from the experiment filled in. */
export interface ExperimentCell {
  /** null where the file has no cells: then the experiment is its only one. */
  readonly id: string | null;
  readonly title: string;
  /** undefined: the set-up's own. */
  readonly judgeNoise: number | undefined;
  readonly flatWeight: number | undefined;
  readonly seeds: readonly number[];
  readonly evaluationSamples: number;
  readonly arms: Experiment["arms"];
  readonly grpo: Experiment["grpo"];
}

/** @throws PlaygroundError `config-invalid` naming every problem of the file. */
export function parseExperiment(text: string, source: string): Experiment {
  const value = parseJson(text, "config-invalid", source);
  const result = experimentSchema.safeParse(value);
  if (result.success) return result.data;
  const problems = problemsOf(result.error, value);
  throw problemsError({ code: "config-invalid", source, problems, next: "Correct the experiment's file." });
}

/** The cells in the file's order; one where it has none. */
export function cellsOf(experiment: Experiment): readonly ExperimentCell[] {
  const { name, judgeNoise, flatWeight, seeds, evaluationSamples, arms, grpo } = experiment;
  const whole = { id: null, title: name, judgeNoise, flatWeight, seeds, evaluationSamples, arms, grpo };
  return (
    experiment.cells?.map((cell) => ({
      id: cell.id,
      title: cell.title ?? cell.id,
      judgeNoise: cell.judgeNoise ?? judgeNoise,
      flatWeight: cell.flatWeight ?? flatWeight,
      seeds: cell.seeds ?? seeds,
      evaluationSamples: cell.evaluationSamples ?? evaluationSamples,
      arms: cell.arms ?? arms,
      grpo: { ...grpo, ...cell.grpo },
    })) ?? [whole]
  );
}

/**
 * The run of one seed of a cell.
 * @param source what is read, as a person knows it
 * @throws PlaygroundError `config-invalid` for an unknown scenario or set-up, or settings that do not fit
 */
export function specOfSeed(
  experiment: Experiment,
  cell: ExperimentCell,
  seed: number,
  source: string,
): RunSpec {
  const { scenario, setUp } = setUpOf(experiment, source);
  const { flatWeight } = cell;
  const where = cell.id === null ? source : `${source}, cell "${cell.id}"`;
  return parseRunSpec(
    {
      scenarioId: scenario.id,
      setUpId: setUp.id,
      seed,
      arms: cell.arms.map((arm) => ({ ...arm, pow3r: { ...setUp.pow3r, ...arm.pow3r } })),
      rubric: flatWeight === undefined ? setUp.rubric : withFlatWeight(setUp, flatWeight),
      trainPrompts: scenario.trainPrompts,
      heldOutPrompts: scenario.heldOutPrompts,
      grpo: { ...setUp.grpo, ...cell.grpo },
      judgeNoise: cell.judgeNoise ?? setUp.judgeNoise,
      evaluateEvery: experiment.evaluateEvery,
      evaluationSamples: cell.evaluationSamples,
    },
    where,
  );
}

function setUpOf(experiment: Experiment, source: string): { scenario: Scenario; setUp: ScenarioSetUp } {
  const scenario = Object.values<Scenario>(scenarios).find((known) => known.id === experiment.scenario);
  if (scenario === undefined) {
    throw unknown(`${source}, scenario`, Object.keys(scenarios), experiment.scenario);
  }
  const setUp = scenario.setUps.find((each) => each.id === experiment.setUp);
  if (setUp === undefined) {
    const ids = scenario.setUps.map((each) => each.id);
    throw unknown(`${source}, setUp`, ids, experiment.setUp);
  }
  return { scenario, setUp };
}

function unknown(where: string, known: readonly string[], got: string): PlaygroundError {
  return new PlaygroundError({
    code: "config-invalid",
    where,
    expected: `one of ${known.map((name) => `"${name}"`).join(", ")}`,
    got: `"${got}"`,
    next: "Correct the experiment's file.",
  });
}
