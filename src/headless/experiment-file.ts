/** What an experiment is: a scenario's set-up, arms and seeds, as a JSON file under experiments/. */
import { z } from "zod";
import { PlaygroundError } from "../base/errors.ts";
import { parseJson, problemsError, problemsOf } from "../domain/rubric/schema-problems.ts";
import { parseRunSpec } from "../domain/run/parse-run-spec.ts";
import { rewardRuleNameSchema, seedSchema, type RunSpec } from "../domain/run/spec.ts";
import { scenarios } from "../domain/scenarios/registry.ts";
import type { Scenario, ScenarioSetUp } from "../domain/scenarios/scenario.ts";

export const experimentSchema = z.strictObject({
  /** Names the folder of its results. */
  name: z.string().regex(/^[a-z0-9-]+$/, "lower-case letters, digits and dashes"),
  /** One sentence: what it asks. */
  question: z.string().min(1),
  scenario: z.string().min(1),
  setUp: z.string().min(1),
  seeds: z
    .array(seedSchema)
    .min(1)
    .refine((seeds) => new Set(seeds).size === seeds.length, "seeds that differ"),
  arms: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        rule: rewardRuleNameSchema,
        /** Over the set-up's own. */
        pow3r: z.record(z.string(), z.unknown()).default({}),
      }),
    )
    .min(1),
  /** Arm whose final score the others are timed against. */
  baseline: z.string().min(1),
  /** Over the set-up's own, in TRL's names. */
  grpo: z.record(z.string(), z.unknown()).default({}),
  judgeNoise: z.number().min(0).max(0.5).optional(),
  evaluateEvery: z.int().min(1).default(5),
  evaluationSamples: z.int().min(1).default(256),
});
export type Experiment = z.infer<typeof experimentSchema>;

/** @throws PlaygroundError `config-invalid` naming every problem of the file. */
export function parseExperiment(text: string, source: string): Experiment {
  const value = parseJson(text, "config-invalid", source);
  const result = experimentSchema.safeParse(value);
  if (!result.success) {
    const problems = problemsOf(result.error, value);
    throw problemsError({ code: "config-invalid", source, problems, next: "Correct the experiment's file." });
  }
  const { baseline, arms } = result.data;
  if (!arms.some((arm) => arm.id === baseline)) {
    throw unknown(
      `${source}, baseline`,
      arms.map((arm) => arm.id),
      baseline,
    );
  }
  return result.data;
}

/**
 * The seeds to run: all of the experiment's, or those of a list such as "1,3".
 * @throws PlaygroundError `config-invalid` for what is no seed of the experiment, or one twice
 */
export function chooseSeeds(experiment: Experiment, list: string | undefined): readonly number[] {
  if (list === undefined) return experiment.seeds;
  const seeds = list.split(",").map((seed) => (seed.trim() === "" ? Number.NaN : Number(seed)));
  const fits = seeds.every((seed) => experiment.seeds.includes(seed));
  if (fits && new Set(seeds).size === seeds.length) return seeds;
  throw new PlaygroundError({
    code: "config-invalid",
    where: "--seeds",
    expected: `some of the experiment's seeds (${experiment.seeds.join(", ")}), each once`,
    got: list,
    next: "A new seed goes into the experiment's file first, so that its summary counts it.",
  });
}

/**
 * The run of one seed.
 * @throws PlaygroundError `config-invalid` for an unknown scenario or set-up, or settings that do not fit
 */
export function specOfSeed(experiment: Experiment, seed: number, source: string): RunSpec {
  const scenario = Object.values<Scenario>(scenarios).find((known) => known.id === experiment.scenario);
  if (scenario === undefined) {
    throw unknown(`${source}, scenario`, Object.keys(scenarios), experiment.scenario);
  }
  const setUp = scenario.setUps.find((each) => each.id === experiment.setUp);
  if (setUp === undefined) {
    const ids = scenario.setUps.map((each) => each.id);
    throw unknown(`${source}, setUp`, ids, experiment.setUp);
  }
  return parseRunSpec(specParts(experiment, seed, scenario, setUp), source);
}

function specParts(experiment: Experiment, seed: number, scenario: Scenario, setUp: ScenarioSetUp): object {
  return {
    scenarioId: scenario.id,
    seed,
    arms: experiment.arms.map((arm) => ({ ...arm, pow3r: { ...setUp.pow3r, ...arm.pow3r } })),
    rubric: setUp.rubric,
    trainPrompts: scenario.trainPrompts,
    heldOutPrompts: scenario.heldOutPrompts,
    grpo: { ...setUp.grpo, ...experiment.grpo },
    judgeNoise: experiment.judgeNoise ?? setUp.judgeNoise,
    evaluateEvery: experiment.evaluateEvery,
    evaluationSamples: experiment.evaluationSamples,
  };
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
