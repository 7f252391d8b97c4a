/** What a bundled task is: prompts, rubric, held-out split and what it teaches. One file per scenario, one line in the registry. */
import type { GrpoConfig } from "../grpo/config.ts";
import type { Rubric } from "../rubric/schema.ts";
import type { Pow3rConfig, ScenarioPrompt } from "../run/spec.ts";

/** A set-up of a scenario: one click in the page. */
export interface ScenarioSetUp {
  readonly id: string;
  readonly title: string;
  /** One sentence: what a person sees with it. */
  readonly shows: string;
  readonly judgeNoise: number;
  readonly rubric: Rubric;
  /** Ids of the criteria that are flat at the base: what the map's "weight on flat criteria" weighs. */
  readonly flatCriteria: readonly string[];
  readonly pow3r: Partial<Pow3rConfig>;
  readonly grpo: Partial<GrpoConfig>;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** One sentence: what it teaches. */
  readonly teaches: string;
  readonly trainPrompts: readonly ScenarioPrompt[];
  readonly heldOutPrompts: readonly ScenarioPrompt[];
  /** The first is the default. */
  readonly setUps: readonly [ScenarioSetUp, ...ScenarioSetUp[]];
}
