/** From scenario, set-up and a person's settings to the run's specification. Pure. */
import { grpoConfigSchema, type GrpoConfig } from "../../domain/grpo/config.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
import { parseRunSpec } from "../../domain/run/parse-run-spec.ts";
import {
  pow3rConfigSchema,
  type Pow3rConfig,
  type RewardRuleName,
  type RunSpec,
  type ScenarioPrompt,
} from "../../domain/run/spec.ts";
import type { Scenario, ScenarioSetUp } from "../../domain/scenarios/scenario.ts";

/** Everything of a run that is not its scenario or its rubric; an edit of any of it means a fresh run. */
export interface Settings {
  readonly arms: readonly RewardRuleName[];
  readonly grpo: GrpoConfig;
  readonly pow3r: Pow3rConfig;
  readonly judgeNoise: number;
  readonly seed: number;
  readonly evaluateEvery: number;
  readonly evaluationSamples: number;
}

/** The page's first picture: POW3R beside the static scalar. */
export const DEFAULT_ARMS: readonly RewardRuleName[] = ["static-scalar", "pow3r"];

/** Evaluations on the page: often enough for a curve, small enough not to slow it. */
const EVALUATION = { evaluateEvery: 5, evaluationSamples: 64 } as const;

export function settingsOf(setUp: ScenarioSetUp): Settings {
  return {
    arms: DEFAULT_ARMS,
    grpo: grpoConfigSchema.parse(setUp.grpo),
    pow3r: pow3rConfigSchema.parse(setUp.pow3r),
    judgeNoise: setUp.judgeNoise,
    seed: 1,
    ...EVALUATION,
  };
}

/** The chosen set-up, or the scenario's first when the id is unknown. */
export function setUpOf(scenario: Scenario, setUpId: string): ScenarioSetUp {
  return scenario.setUps.find((setUp) => setUp.id === setUpId) ?? scenario.setUps[0];
}

export interface SpecParts {
  readonly scenario: Scenario;
  readonly setUpId: string;
  readonly settings: Settings;
  readonly rubric: Rubric;
  /** A person's own prompts in place of the scenario's; null = the scenario's. */
  readonly prompts: readonly ScenarioPrompt[] | null;
}

/** Own prompts: every fourth is held out; fewer than four stand on both sides, since there is nothing to hold out. */
function splitPrompts(prompts: readonly ScenarioPrompt[]): readonly [ScenarioPrompt[], ScenarioPrompt[]] {
  if (prompts.length < 4)
    return [[...prompts], prompts.map((prompt) => ({ ...prompt, id: `${prompt.id}-held-out` }))];
  return [prompts.filter((_, i) => i % 4 !== 3), prompts.filter((_, i) => i % 4 === 3)];
}

/** @throws PlaygroundError `config-invalid` or `rubric-invalid`, naming every problem. */
export function buildSpec({ scenario, setUpId, settings, rubric, prompts }: SpecParts): RunSpec {
  const { arms, pow3r, grpo, ...rest } = settings;
  const own = prompts === null ? null : splitPrompts(prompts);
  // a person may type fewer prompts than the set-up takes at once
  const most = own === null ? grpo.prompts_per_step : own[0].length;
  return parseRunSpec({
    ...rest,
    grpo: { ...grpo, prompts_per_step: Math.min(grpo.prompts_per_step, most) },
    scenarioId: scenario.id,
    setUpId,
    arms: arms.map((rule) => ({ id: rule, rule, pow3r })),
    rubric,
    trainPrompts: own?.[0] ?? scenario.trainPrompts,
    heldOutPrompts: own?.[1] ?? scenario.heldOutPrompts,
  });
}

/** False where the run is scored on prompts that it trains on. */
export function holdsOut({ trainPrompts, heldOutPrompts }: RunSpec): boolean {
  const words = (prompt: ScenarioPrompt): string => JSON.stringify(prompt.messages);
  const trained = new Set(trainPrompts.map(words));
  return heldOutPrompts.every((prompt) => !trained.has(words(prompt)));
}

/** The settings a restored run was made with. */
export function settingsFromSpec(spec: RunSpec): Settings {
  const { grpo, judgeNoise, seed, evaluateEvery, evaluationSamples } = spec;
  const pow3r = spec.arms.find((arm) => arm.rule === "pow3r")?.pow3r ?? pow3rConfigSchema.parse({});
  return {
    arms: spec.arms.map((arm) => arm.rule),
    grpo,
    pow3r,
    judgeNoise,
    seed,
    evaluateEvery,
    evaluationSamples,
  };
}
