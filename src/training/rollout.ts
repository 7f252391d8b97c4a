/**
 * One step's sampling: G completions of each of P prompts from one seeded stream of uniforms, so that every arm
 * of a run meets the same prompts and the same random numbers. Knows nothing of rubrics.
 */
import { PlaygroundError } from "../base/errors.ts";
import { createRng } from "../base/rng.ts";
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { Answer, PromptFacts } from "../domain/rubric/verdicts.ts";
import type { ScenarioPrompt } from "../domain/run/spec.ts";
import type { Completion, Policy, PromptTokens, TextCodec } from "./policy.ts";

/** One prompt with its G completions, as tokens and as text. */
export interface SampledGroup {
  readonly prompt: ScenarioPrompt;
  readonly promptTokens: PromptTokens;
  readonly completions: readonly Completion[];
  /** The same completions as checks see them, in the same order. */
  readonly answers: readonly Answer[];
}

export interface SamplingRequest {
  readonly prompts: readonly ScenarioPrompt[];
  readonly groupSize: number;
  readonly adapter: Float32Array | null;
  readonly sampling: Pick<GrpoConfig, "max_completion_length" | "temperature" | "top_k" | "top_p">;
  readonly seed: number;
  /** What the stream is for, e.g. "rollouts", and when. Equal labels give equal uniforms. */
  readonly stream: readonly [purpose: string, ...when: (string | number)[]];
  readonly signal?: AbortSignal | undefined;
  /** Tokens sampled so far in this request. */
  readonly onProgress?: ((tokens: number) => void) | undefined;
}

/** The prompt as checks see it: what the person wrote, and its named parts. */
export function promptFacts(prompt: ScenarioPrompt): PromptFacts {
  const { id, messages, fields } = prompt;
  const said = messages.filter((message) => message.role === "user");
  return { id, text: said.map((message) => message.content).join("\n"), messages, fields };
}

/**
 * Samples the groups, in the prompts' order.
 * @throws PlaygroundError `aborted` when the signal fires between two chunks of decoding; `not-finite` when the model
 * gives no probabilities any more, whose samples would be garbage that scores like text.
 */
export async function sampleGroups(
  policy: Policy,
  codec: TextCodec,
  request: SamplingRequest,
): Promise<SampledGroup[]> {
  const tokens = request.prompts.map((prompt) => codec.encodePrompt(prompt.messages));
  const stream = createRng(request.seed, ...request.stream);
  const sampled = await policy.rollout({
    prompts: tokens,
    groupSize: request.groupSize,
    maxTokens: request.sampling.max_completion_length,
    temperature: request.sampling.temperature,
    topK: request.sampling.top_k,
    topP: request.sampling.top_p,
    uniform: () => stream.next(),
    adapter: request.adapter,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
  });
  return request.prompts.map((prompt, p) => {
    const completions = sampled[p] ?? [];
    checkFinite(completions, `${request.stream.join(" ")}, prompt "${prompt.id}"`);
    const answers = completions.map((each) => ({ text: codec.decode(each.tokens), ended: each.ended }));
    return { prompt, promptTokens: tokens[p] ?? new Int32Array(), completions, answers };
  });
}

function checkFinite(completions: readonly Completion[], where: string): void {
  const bad = completions.flatMap((each) => [...each.logProbs]).find((logProb) => !Number.isFinite(logProb));
  if (bad === undefined) return;
  throw new PlaygroundError({
    code: "not-finite",
    where: `sampling ${where}`,
    expected: "finite log-probabilities",
    got: String(bad),
    next: "The run stands at its last good step; a lower learning rate usually helps.",
  });
}
