/** What the set-up sheet holds while it is edited: typed values that may not be valid yet. Pure. */
import { grpoConfigSchema, loraConfigSchema } from "../../../domain/grpo/config.ts";
import { pow3rConfigSchema, runSpecSchema, type RewardRuleName } from "../../../domain/run/spec.ts";
import { ownPrompts } from "../../../domain/scenarios/own-prompts.ts";
import type { Scenario } from "../../../domain/scenarios/scenario.ts";
import type { EngineChoice } from "../../protocol/messages.ts";
import type { AppState } from "../../store/app-state.ts";
import type { SetUpChoice } from "../../store/run-actions.ts";
import { sayIssues } from "../parts/problem-words.ts";
import type { Text } from "../text/en.ts";
import { settingLabel } from "./setting-words.ts";

type Values = Readonly<Record<string, unknown>>;

export interface Draft {
  readonly engine: EngineChoice;
  readonly arms: readonly RewardRuleName[];
  readonly grpo: Values;
  readonly lora: Values;
  readonly pow3r: Values;
  readonly run: Values;
  /** One prompt a line; null where the scenario has its own. */
  readonly promptLines: string | null;
}

/** The run's own settings beside GRPO's, as one schema to draw and check. */
export const runFieldsSchema = runSpecSchema.pick({
  seed: true,
  judgeNoise: true,
  evaluateEvery: true,
  evaluationSamples: true,
});

/** The scenario whose prompts a person writes. */
export const OWN_PROMPTS_SCENARIO = "your-own-prompts";

export function draftOf(state: AppState, scenario: Scenario | undefined): Draft {
  const { settings, prompts: kept } = state.refused ?? state; // what was refused is there to be corrected
  const { lora, ...grpo } = settings.grpo;
  const { seed, judgeNoise, evaluateEvery, evaluationSamples } = settings;
  const prompts = kept ?? scenario?.trainPrompts ?? [];
  const lines = prompts.map((prompt) => prompt.messages.at(-1)?.content ?? "").join("\n");
  return {
    engine: state.engineChoice,
    arms: settings.arms,
    grpo,
    lora,
    pow3r: settings.pow3r,
    run: { seed, judgeNoise, evaluateEvery, evaluationSamples },
    promptLines: scenario?.id === OWN_PROMPTS_SCENARIO ? lines : null,
  };
}

export type Checked =
  | { readonly choice: SetUpChoice; readonly problems: readonly [] }
  | { readonly choice: null; readonly problems: readonly string[] };

/** The draft as settings, or every field that is wrong with what it needs. */
export function checkDraft(draft: Draft, before: Draft, prompts: AppState["prompts"], text: Text): Checked {
  const grpo = grpoConfigSchema.omit({ lora: true }).safeParse(draft.grpo);
  const lora = loraConfigSchema.safeParse(draft.lora);
  const pow3r = pow3rConfigSchema.safeParse(draft.pow3r);
  const run = runFieldsSchema.safeParse(draft.run);
  const results = { run, grpo, lora, pow3r };
  const problems = (Object.keys(results) as (keyof typeof results)[]).flatMap((group) =>
    sayIssues(
      results[group].error?.issues ?? [],
      (name) => name && settingLabel(text, group, name),
      text.problems,
    ),
  );
  const typed = draft.promptLines === null ? null : ownPrompts(draft.promptLines);
  if (typed?.length === 0) problems.push(`${text.setUp.prompts}: ${text.problems.oneLine}`);
  if (!grpo.success || !lora.success || !pow3r.success || !run.success || problems.length > 0) {
    return { choice: null, problems };
  }
  const settings = {
    arms: draft.arms,
    grpo: { ...grpo.data, lora: lora.data },
    pow3r: pow3r.data,
    ...run.data,
  };
  const changedPrompts = draft.promptLines !== before.promptLines;
  return {
    choice: { settings, prompts: changedPrompts ? typed : prompts, engine: draft.engine },
    problems: [],
  };
}
