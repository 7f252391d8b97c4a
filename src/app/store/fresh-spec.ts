/** The specification of the next run, and what the page shows of one that came from elsewhere. Pure. */
import { HELD_OUT_COPY } from "../../domain/rubric/criteria.ts";
import type { RunSpec, ScenarioPrompt } from "../../domain/run/spec.ts";
import type { Scenario } from "../../domain/scenarios/scenario.ts";
import type { AppState } from "./app-state.ts";
import { buildSpec, settingsFromSpec } from "./set-up.ts";

type Chosen = Pick<AppState, "spec" | "seeds" | "setUpId" | "settings" | "rubric" | "prompts">;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * What the page has set. Where that is what the present run was made of, its own specification with the present rubric, since a
 * file may hold more than the page can set (other saving).
 * @throws PlaygroundError `config-invalid` or `rubric-invalid`, naming every problem
 */
export function freshSpec(chosen: Chosen, scenario: Scenario): RunSpec {
  const { spec, seeds, settings, rubric, prompts, setUpId } = chosen;
  const again =
    spec !== null &&
    spec.scenarioId === scenario.id &&
    spec.setUpId === setUpId &&
    same(settingsFromSpec(spec, seeds), settings) &&
    same(ownPromptsOf(spec, scenario), prompts);
  if (again) return { ...spec, rubric, rubricEdits: [] };
  return buildSpec({ scenario, setUpId, settings, rubric, prompts });
}

/** The specification names the model, but for the bundled one. */
export function onModel(made: RunSpec, model: AppState["model"]): RunSpec {
  const identity = model?.identity ?? null;
  const spec = { ...made };
  delete spec.model;
  return identity === null ? spec : { ...spec, model: identity };
}

/** A specification's prompts in the order they were typed, every fourth held out; null where they are the scenario's. */
export function ownPromptsOf(spec: RunSpec, scenario: Scenario): readonly ScenarioPrompt[] | null {
  const { trainPrompts: train, heldOutPrompts: heldOut } = spec;
  if (same([train, heldOut], [scenario.trainPrompts, scenario.heldOutPrompts])) return null;
  if (heldOut.every(({ id }) => train.some((prompt) => `${prompt.id}${HELD_OUT_COPY}` === id))) return train;
  const typed: ScenarioPrompt[] = [];
  train.forEach((prompt, i) => {
    typed.push(prompt);
    const next = heldOut[(i + 1) / 3 - 1];
    if (next !== undefined) typed.push(next);
  });
  return [...typed, ...heldOut.slice(Math.floor(train.length / 3))];
}

/** The id of the set-up that a run was made from; older records tell only its judge noise. */
export function setUpIdOf(spec: RunSpec, scenario: Scenario): string {
  const known = scenario.setUps.find((setUp) => setUp.id === spec.setUpId);
  const guessed = scenario.setUps.find((setUp) => setUp.judgeNoise === spec.judgeNoise);
  return (known ?? guessed ?? scenario.setUps[0]).id;
}
