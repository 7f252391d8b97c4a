/** Whether prompts and answers fit the model's context: asked before a run or a chat begins, so that nothing ends in the middle. */
import { PlaygroundError } from "../base/errors.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import type { TextCodec } from "./policy.ts";

/** Prompt and completion together in the page; caches are made for this many positions, so a large model's own limit is not used. */
export const MOST_POSITIONS = 1024;

/**
 * Refuses a run in which a prompt leaves no room for its answer.
 * @param maxPositions longest prompt plus completion, in tokens
 * @throws PlaygroundError `config-invalid` naming the first such prompt, and how many others there are
 */
export function checkSpecRoom(codec: TextCodec, maxPositions: number, spec: RunSpec): void {
  const most = spec.grpo.max_completion_length;
  const tooLong = [...spec.trainPrompts, ...spec.heldOutPrompts]
    .map(({ id, messages }) => ({ id, tokens: codec.encodePrompt(messages) }))
    .filter(({ tokens }) => tokens.length + most > maxPositions);
  const [first] = tooLong;
  if (first === undefined) return;
  const others = tooLong.length === 1 ? "" : ` and ${tooLong.length - 1} more`;
  checkRoom(maxPositions, first.tokens, most, `prompt "${first.id}"${others}`);
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
    next: "Shorten it or leave it out, lower max_completion_length, or load a model with a longer context.",
  });
}
