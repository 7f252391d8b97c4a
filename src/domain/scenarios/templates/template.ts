/** A rubric to start from: criteria of a scenario with weights of its own, and criteria that the scenario has not. */
import { criterionSchema, type CheckSpec, type Rubric } from "../../rubric/schema.ts";
import type { CheckName } from "../../rubric/checks/registry.ts";
import type { Scenario } from "../scenario.ts";

export interface RubricTemplate {
  readonly id: string;
  readonly title: string;
  /** One sentence: what it asks for. */
  readonly teaches: string;
  /** Weights of the scenario's criteria that it holds, in its order. */
  readonly weights: Readonly<Record<string, number>>;
  /** Ids of those that an answer must meet; "well-formed" always is. */
  readonly required?: readonly string[];
  readonly more?: readonly {
    readonly id: string;
    readonly text: string;
    readonly category: string;
    readonly weight: number;
    readonly check: { readonly type: CheckName; readonly args: CheckSpec["args"] };
  }[];
}

/** Fluency holds all else up: as heavy here as in the mild set-up. */
const FLUENCY = { id: "well-formed", weight: 8 };

/** @throws Error where the scenario has no such criterion */
export function templateRubric(scenario: Scenario, template: RubricTemplate): Rubric {
  const known = scenario.setUps[0].rubric.criteria;
  const taken = Object.entries({ ...template.weights, [FLUENCY.id]: FLUENCY.weight }).map(([id, weight]) => {
    const criterion = known.find((each) => each.id === id);
    if (criterion === undefined) throw new Error(`template "${template.id}": no criterion "${id}"`);
    const required = id === FLUENCY.id || template.required?.includes(id) === true;
    return { ...criterion, weight, required };
  });
  const more = (template.more ?? []).map((each) => criterionSchema.parse(each));
  return { title: template.title, criteria: [...taken, ...more] };
}
