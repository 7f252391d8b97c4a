import { expect, test } from "vitest";
import { yourOwnPrompts } from "../../../domain/scenarios/your-own-prompts.ts";
import { firstState, type AppState } from "../../store/app-state.ts";
import { settingsOf } from "../../store/set-up.ts";
import { en } from "../text/en.ts";
import { checkDraft, draftOf, freeArmId } from "./draft.ts";

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
  expect(checkDraft(draft, draft, state, en).choice).toEqual({
    settings: state.settings,
    prompts: null,
    engine: "auto",
  });
});

test("typed lines become prompts with the parts that checks ask for", () => {
  const before = draftOf(state, yourOwnPrompts);
  const draft = { ...before, promptLines: "This is Nadia. My kettle leaks, order #48213.\n\n  Hello there " };
  const prompts = checkDraft(draft, before, state, en).choice?.prompts ?? [];
  expect(prompts.map((prompt) => prompt.messages.at(-1)?.content)).toEqual([
    "This is Nadia. My kettle leaks, order #48213.",
    "Hello there",
  ]);
  expect(prompts[0]?.fields).toMatchObject({ name: "Nadia", product: "kettle", order: "48213" });
});

test("a file's prompts keep their ids where others are added, and are not written as lines where they cannot be", () => {
  const prompt = (id: string, content: string) => ({
    id,
    messages: [{ role: "user" as const, content }],
    fields: {},
  });
  const kept = { ...state, prompts: [prompt("hb-1", "Why?"), prompt("own-1", "How?")] };
  const before = draftOf(kept, yourOwnPrompts);
  const draft = { ...before, promptLines: "Where?\nHow?\nWhy?" };
  const prompts = checkDraft(draft, before, kept, en).choice?.prompts ?? [];
  expect(prompts.map(({ id, messages }) => [id, messages.at(-1)?.content])).toEqual([
    ["own-1-2", "Where?"],
    ["own-1", "How?"],
    ["hb-1", "Why?"],
  ]);
  const long = { ...state, prompts: [prompt("hb-1", "Why?\nHow?")] };
  const hidden = draftOf(long, yourOwnPrompts);
  expect(hidden.promptLines).toBeNull();
  expect(checkDraft(hidden, hidden, long, en).choice?.prompts).toBe(long.prompts);
});

test("every wrong field is named with what it needs", () => {
  const before = draftOf(state, yourOwnPrompts);
  const draft = {
    ...before,
    grpo: { ...before.grpo, learning_rate: "fast" },
    arms: before.arms.map((arm) => ({ ...arm, pow3r: { ...arm.pow3r, alpha_min: 3 } })).slice(1),
    promptLines: "",
  };
  const { choice, problems } = checkDraft(draft, before, state, en);
  expect(choice).toBeNull();
  expect(problems).toEqual([
    "learning rate: a number is needed",
    "pow3r, α floor: at most 1",
    "Your own prompts: at least one line",
  ]);
});

test("seeds follow the first; those of a file stay while nobody changes them", () => {
  const kept = { ...state, settings: { ...state.settings, seeds: [3, 9] } };
  const before = draftOf(kept, yourOwnPrompts);
  expect(before.run).toMatchObject({ seed: 3, seeds: 2 });
  expect(checkDraft(before, before, kept, en).choice?.settings.seeds).toEqual([3, 9]);
  const more = { ...before, run: { ...before.run, seeds: 3 } };
  expect(checkDraft(more, before, kept, en).choice?.settings.seeds).toEqual([3, 4, 5]);
  const many = { ...before, run: { ...before.run, seeds: 17 } };
  expect(checkDraft(many, before, kept, en).problems).toEqual(["how many seeds: at most 16"]);
});

test("one rule may stand twice with constants of its own; names are told apart", () => {
  const before = draftOf(state, yourOwnPrompts);
  const pow3r = before.arms.filter(({ rule }) => rule === "pow3r");
  const twin = pow3r.map((arm) => ({ ...arm, id: freeArmId("pow3r", ["pow3r"]), pow3r: { lambda: 0 } }));
  const twice = { ...before, arms: [...pow3r, ...twin] };
  const arms = checkDraft(twice, before, state, en).choice?.settings.arms;
  expect(arms?.map(({ id, pow3r: { lambda } }) => [id, lambda])).toEqual([
    ["pow3r", state.settings.arms[1]?.pow3r.lambda],
    ["pow3r-2", 0],
  ]);
  const same = { ...before, arms: [...pow3r, ...pow3r] };
  expect(checkDraft(same, before, state, en).problems).toEqual(["Name: two arms are named “pow3r”"]);
  const nameless = { ...before, arms: pow3r.map((arm) => ({ ...arm, id: " " })) };
  expect(checkDraft(nameless, before, state, en).problems).toEqual(["Name: fill this in"]);
  expect(checkDraft({ ...before, arms: [] }, before, state, en).problems).toEqual([en.setUp.oneArm]);
});
