/** Prompts of a bundled scenario: drawn by a fixed seed from the residue of messages that the corpus never holds. */
import { createRng } from "../../base/rng.ts";
import type { Rng } from "../../base/rng.ts";
import type { ScenarioPrompt } from "../run/spec.ts";
import type { Message, Split } from "./grammar.ts";

export interface PromptSets {
  readonly trainPrompts: readonly ScenarioPrompt[];
  readonly heldOutPrompts: readonly ScenarioPrompt[];
}

const COUNT = 32;

export function toPrompt(id: string, { text, fields }: Message): ScenarioPrompt {
  return { id, messages: [{ role: "user", content: text }], fields: { ...fields } };
}

/** 32 prompts to train on and 32 others to evaluate with; no text stands twice. */
export function drawPromptSets(scenarioId: string, draw: (rng: Rng, split: Split) => Message): PromptSets {
  const rng = createRng(7, scenarioId);
  const messages = new Map<string, Message>();
  while (messages.size < 2 * COUNT) {
    const message = draw(rng, "held-out");
    messages.set(message.text, message);
  }
  const prompts = [...messages.values()].map((message, i) =>
    toPrompt(i < COUNT ? `train-${i + 1}` : `held-out-${i - COUNT + 1}`, message),
  );
  return { trainPrompts: prompts.slice(0, COUNT), heldOutPrompts: prompts.slice(COUNT) };
}
