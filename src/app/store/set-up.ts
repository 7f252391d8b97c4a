/** From scenario, set-up and a person's settings to the run's specification. Pure. */
import { grpoConfigSchema, type GrpoConfig } from "../../domain/grpo/config.ts";
import { HELD_OUT_COPY } from "../../domain/rubric/criteria.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
import { judgesOf, type RunJudges } from "../../domain/run/judge-spec.ts";
import { parseRunSpec } from "../../domain/run/parse-run-spec.ts";
import {
  pow3rConfigSchema,
  type ArmSpec,
  type RewardRuleName,
  type RunSpec,
  type ScenarioPrompt,
} from "../../domain/run/spec.ts";
import type { Scenario, ScenarioSetUp } from "../../domain/scenarios/scenario.ts";

/** Everything of a run that is not its scenario or its rubric; an edit of any of it means a fresh run. */
export interface Settings extends RunJudges {
  readonly arms: readonly ArmSpec[];
  readonly grpo: GrpoConfig;
  readonly judgeNoise: number;
  /** Each trains every arm; never empty. */
  readonly seeds: readonly number[];
  readonly evaluateEvery: number;
  readonly evaluationSamples: number;
}

/** The page's first picture: POW3R beside the static scalar. */
const DEFAULT_RULES: readonly RewardRuleName[] = ["static-scalar", "pow3r"];

/** Evaluations on the page: often enough for a curve, small enough not to slow it. */
const EVALUATION = { evaluateEvery: 5, evaluationSamples: 64 } as const;

export function settingsOf(setUp: ScenarioSetUp): Settings {
  return {
    arms: DEFAULT_RULES.map((rule) => armOf(rule, setUp)),
    grpo: grpoConfigSchema.parse(setUp.grpo),
    judgeNoise: setUp.judgeNoise,
    seeds: [1],
    ...EVALUATION,
  };
}

/** An arm of a rule, named by it, with the set-up's own constants. */
export function armOf(rule: RewardRuleName, setUp: ScenarioSetUp): ArmSpec {
  return { id: rule, rule, pow3r: pow3rConfigSchema.parse(setUp.pow3r) };
}

/** The same arms in another set-up: constants that were the old one's own become the new one's, changed ones stay. */
export function armsIn(arms: readonly ArmSpec[], from: ScenarioSetUp, to: ScenarioSetUp): readonly ArmSpec[] {
  return arms.map((arm) => {
    const own = JSON.stringify(arm.pow3r) === JSON.stringify(armOf(arm.rule, from).pow3r);
    return own ? { ...arm, pow3r: armOf(arm.rule, to).pow3r } : arm;
  });
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
    return [[...prompts], prompts.map((prompt) => ({ ...prompt, id: `${prompt.id}${HELD_OUT_COPY}` }))];
  return [prompts.filter((_, i) => i % 4 !== 3), prompts.filter((_, i) => i % 4 === 3)];
}

/** @throws PlaygroundError `config-invalid` or `rubric-invalid`, naming every problem. */
export function buildSpec({ scenario, setUpId, settings, rubric, prompts }: SpecParts): RunSpec {
  const { seeds, grpo, ...rest } = settings;
  const own = prompts === null ? null : splitPrompts(prompts);
  // a person may type fewer prompts than the set-up takes at once
  const most = own === null ? grpo.prompts_per_step : own[0].length;
  return parseRunSpec({
    ...rest,
    grpo: { ...grpo, prompts_per_step: Math.min(grpo.prompts_per_step, most) },
    scenarioId: scenario.id,
    setUpId,
    seed: seeds[0],
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
export function settingsFromSpec(spec: RunSpec, seeds: readonly number[]): Settings {
  const { arms, grpo, judgeNoise, evaluateEvery, evaluationSamples } = spec;
  return { arms, grpo, judgeNoise, seeds, evaluateEvery, evaluationSamples, ...judgesOf(spec) };
}
