/** Whether prompts and answers fit the model's context: asked before a run or a chat begins, so that nothing ends in the middle. */
import { PlaygroundError } from "../base/errors.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import type { TextCodec } from "./policy.ts";

/** Prompt and completion together in the page; caches are made for this many positions, so a large model's own limit is not used. */
export const MOST_POSITIONS = 1024;

/**
 * Refuses a run in which a prompt leaves no room for its answer.
 * @param maxPositions longest prompt plus completion, in tokens
 * @throws PlaygroundError `config-invalid` naming the first such prompt
 */
export function checkSpecRoom(codec: TextCodec, maxPositions: number, spec: RunSpec): void {
  for (const prompt of [...spec.trainPrompts, ...spec.heldOutPrompts]) {
    const tokens = codec.encodePrompt(prompt.messages);
    checkRoom(maxPositions, tokens, spec.grpo.max_completion_length, `prompt "${prompt.id}"`);
  }
}

/**
 * Refuses one prompt for which no room is left.
 * @throws PlaygroundError `config-invalid`
 */
export function checkRoom(maxPositions: number, prompt: Int32Array, maxTokens: number, where: string): void {
  if (prompt.length + maxTokens <= maxPositions) return;
  throw new PlaygroundError({
    code: "config-invalid",
    where,
    expected: `prompt and answer within ${maxPositions} tokens`,
    got: `${prompt.length} + ${maxTokens}`,
    next: "Shorten the prompt, or lower max_completion_length.",
  });
}
