/** What the set-up sheet holds while it is edited: typed values that may not be valid yet. Pure. */
import { grpoConfigSchema, loraConfigSchema } from "../../../domain/grpo/config.ts";
import { judgesOf } from "../../../domain/run/judge-spec.ts";
import {
  armSpecSchema,
  pow3rConfigSchema,
  runSpecSchema,
  seedCountSchema,
  type ArmSpec,
  type RewardRuleName,
  type ScenarioPrompt,
} from "../../../domain/run/spec.ts";
import { ownPrompts } from "../../../domain/scenarios/own-prompts.ts";
import type { Scenario } from "../../../domain/scenarios/scenario.ts";
import type { EngineChoice } from "../../protocol/model-messages.ts";
import type { AppState } from "../../store/app-state.ts";
import type { SetUpChoice } from "../../store/run-actions.ts";
import { sayIssues } from "../parts/problem-words.ts";
import type { Text } from "../text/en.ts";
import { settingLabel } from "./setting-words.ts";

type Values = Readonly<Record<string, unknown>>;

/** An arm as it is typed. */
export interface ArmDraft extends Pick<ArmSpec, "id" | "rule" | "grpo"> {
  readonly pow3r: Values;
}

export interface Draft {
  readonly engine: EngineChoice;
  readonly arms: readonly ArmDraft[];
  readonly grpo: Values;
  readonly lora: Values;
  readonly run: Values;
  /** One prompt a line; null where the scenario has its own, or where a file's prompts cannot be written so. */
  readonly promptLines: string | null;
}

/** The run's own settings beside GRPO's, as one schema to draw and check. */
export const runFieldsSchema = runSpecSchema
  .pick({ seed: true })
  .extend({ seeds: seedCountSchema }) // how many, from `seed` on
  .extend(runSpecSchema.pick({ judgeNoise: true, evaluateEvery: true, evaluationSamples: true }).shape);

/** The scenario whose prompts a person writes. */
export const OWN_PROMPTS_SCENARIO = "your-own-prompts";

export function draftOf(state: AppState, scenario: Scenario | undefined): Draft {
  const { settings, prompts: kept } = state.refused ?? state; // what was refused is there to be corrected
  const { lora, ...grpo } = settings.grpo;
  const { seeds, judgeNoise, evaluateEvery, evaluationSamples } = settings;
  const prompts = kept ?? scenario?.trainPrompts ?? [];
  const writable = scenario?.id === OWN_PROMPTS_SCENARIO && areLines(prompts);
  return {
    engine: state.engineChoice,
    arms: settings.arms,
    grpo,
    lora,
    run: { seed: seeds[0], seeds: seeds.length, judgeNoise, evaluateEvery, evaluationSamples },
    promptLines: writable ? prompts.map(lineOf).join("\n") : null,
  };
}

const lineOf = (prompt: ScenarioPrompt): string => prompt.messages.at(-1)?.content ?? "";

/** Whether each prompt is one message in one line: conversations and longer texts, as files bring them, cannot be written so. */
export function areLines(prompts: readonly ScenarioPrompt[]): boolean {
  return prompts.every((prompt) => prompt.messages.length === 1 && !/[\r\n]/.test(lineOf(prompt)));
}

/** The typed lines as prompts; a line that was there before is that prompt still, with its id, for criteria that count for it alone. */
function promptsOf(lines: string, kept: readonly ScenarioPrompt[] | null): readonly ScenarioPrompt[] {
  const known = new Map((kept ?? []).map((prompt) => [lineOf(prompt), prompt]));
  const taken = new Set((kept ?? []).map(({ id }) => id));
  return ownPrompts(lines).map((typed) => {
    const before = known.get(lineOf(typed));
    known.delete(lineOf(typed)); // the same line twice is two prompts
    if (before !== undefined) return before;
    let { id } = typed;
    for (let n = 2; taken.has(id); n++) id = `${typed.id}-${String(n)}`;
    taken.add(id);
    return { ...typed, id };
  });
}

export type Checked =
  | { readonly choice: SetUpChoice; readonly problems: readonly [] }
  | { readonly choice: null; readonly problems: readonly string[] };

/** Seeds that follow the first one. */
function consecutive(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** The arms' problems in words: of POW3R's constants by the arm's name, and of names that are missing or not its own. */
function armProblems(arms: readonly ArmDraft[], text: Text): string[] {
  const ids = arms.map(({ id }) => id.trim());
  const twice = new Set(ids.filter((id, at) => id !== "" && ids.indexOf(id) !== at));
  return [
    ...(arms.length === 0 ? [text.setUp.oneArm] : []),
    ...(ids.includes("") ? [`${text.armsEditor.name}: ${text.problems.empty}`] : []),
    ...[...twice].map((id) => `${text.armsEditor.name}: ${text.armsEditor.twice(id)}`),
    ...arms.flatMap(({ id, pow3r }) =>
      sayIssues(
        pow3rConfigSchema.safeParse(pow3r).error?.issues ?? [],
        (name) => `${id}, ${settingLabel(text, "pow3r", name)}`,
        text.problems,
      ),
    ),
  ];
}

/** The draft as settings, or every field that is wrong with what it needs. */
export function checkDraft(
  draft: Draft,
  before: Draft,
  kept: Pick<AppState, "prompts" | "settings">,
  text: Text,
): Checked {
  const grpo = grpoConfigSchema.omit({ lora: true }).safeParse(draft.grpo);
  const lora = loraConfigSchema.safeParse(draft.lora);
  const run = runFieldsSchema.safeParse(draft.run);
  const arms = armSpecSchema.array().safeParse(draft.arms.map((arm) => ({ ...arm, id: arm.id.trim() })));
  const results = { run, grpo, lora };
  const problems = (Object.keys(results) as (keyof typeof results)[]).flatMap((group) =>
    sayIssues(
      results[group].error?.issues ?? [],
      (name) => name && settingLabel(text, group, name),
      text.problems,
    ),
  );
  problems.push(...armProblems(draft.arms, text));
  const typed = draft.promptLines === null ? null : promptsOf(draft.promptLines, kept.prompts);
  if (typed?.length === 0) problems.push(`${text.setUp.prompts}: ${text.problems.oneLine}`);
  if (!grpo.success || !lora.success || !arms.success || !run.success || problems.length > 0) {
    return { choice: null, problems };
  }
  const { seed: first, seeds: count, ...rest } = run.data;
  const sameSeeds = first === before.run["seed"] && count === before.run["seeds"];
  const settings = {
    arms: arms.data,
    grpo: { ...grpo.data, lora: lora.data },
    ...rest,
    seeds: sameSeeds ? kept.settings.seeds : consecutive(first, count),
    ...judgesOf(kept.settings),
  };
  const prompts = draft.promptLines === before.promptLines ? kept.prompts : typed;
  return { choice: { settings, prompts, engine: draft.engine }, problems: [] };
}

/** A name for an arm that no other has: its rule's, with a number where that is taken. */
export function freeArmId(rule: RewardRuleName, taken: readonly string[]): string {
  let id: string = rule;
  for (let n = 2; taken.includes(id); n++) id = `${rule}-${String(n)}`;
  return id;
}
