import { expect, test } from "vitest";
import { yourOwnPrompts } from "../../../domain/scenarios/your-own-prompts.ts";
import { firstState, type AppState } from "../../store/app-state.ts";
import { settingsOf } from "../../store/set-up.ts";
import { en } from "../text/en.ts";
import { checkDraft, draftOf } from "./draft.ts";

const setUp = yourOwnPrompts.setUps[0];
const state: AppState = firstState({
  scenarioId: yourOwnPrompts.id,
  setUpId: setUp.id,
  settings: settingsOf(setUp),
  rubric: setUp.rubric,
  prompts: null,
});

test("an unchanged draft gives back the settings it came from", () => {
  const draft = draftOf(state, yourOwnPrompts);
  expect(checkDraft(draft, draft, null, en).choice).toEqual({
    settings: state.settings,
    prompts: null,
    engine: "auto",
  });
});

test("typed lines become prompts with the parts that checks ask for", () => {
  const before = draftOf(state, yourOwnPrompts);
  const draft = { ...before, promptLines: "This is Nadia. My kettle leaks, order #48213.\n\n  Hello there " };
  const prompts = checkDraft(draft, before, null, en).choice?.prompts ?? [];
  expect(prompts.map((prompt) => prompt.messages.at(-1)?.content)).toEqual([
    "This is Nadia. My kettle leaks, order #48213.",
    "Hello there",
  ]);
  expect(prompts[0]?.fields).toMatchObject({ name: "Nadia", product: "kettle", order: "48213" });
});

test("every wrong field is named with what it needs", () => {
  const before = draftOf(state, yourOwnPrompts);
  const draft = {
    ...before,
    grpo: { ...before.grpo, learning_rate: "fast" },
    pow3r: { ...before.pow3r, alpha_min: 3 },
    promptLines: "",
  };
  const { choice, problems } = checkDraft(draft, before, null, en);
  expect(choice).toBeNull();
  expect(problems).toEqual([
    "learning rate: a number is needed",
    "α floor: at most 1",
    "Your own prompts: at least one line",
  ]);
});
