/**
 * Answers to the held-out prompts, from a stream seeded by (seed, step): every arm meets the same random numbers,
 * so that a difference between arms is a difference between adapters. Judging them is evaluation.ts.
 */
import { createRng, shuffled } from "../base/rng.ts";
import type { RunSpec, ScenarioPrompt } from "../domain/run/spec.ts";
import type { Policy, TextCodec } from "./policy.ts";
import { sampleGroups } from "./rollout.ts";
import { throwIfAborted } from "./abort.ts";

/** One held-out answer, kept as text so that an edited rubric can judge it again. */
export interface HeldOutAnswer {
  readonly promptId: string;
  readonly text: string;
  readonly ended: boolean;
  /** Tokens, the end token included. */
  readonly length: number;
}

export interface HeldOutRequest {
  readonly spec: RunSpec;
  /** null = the base model. */
  readonly adapter: Float32Array | null;
  readonly step: number;
  readonly signal?: AbortSignal | undefined;
  /** Answers finished so far, those being written by their share of the longest they may be; a whole number. */
  readonly onProgress?: ((answers: number) => void) | undefined;
}

/** Prompts that get the same number of answers. */
interface Share {
  readonly prompts: readonly ScenarioPrompt[];
  readonly each: number;
}

/** Answers of one prompt decode together at little more than the cost of one: fewer than this a prompt waste time. */
const LEAST_EACH = 4;
/** Answers of one request are as many as a step's, or this many where a step has fewer. */
const LEAST_ROWS = 16;

/**
 * Spreads the samples evenly over as many prompts as can have at least four each. Which prompts those are, and which
 * get one more, is fixed by the seed for the whole run.
 */
export function shareSamples(prompts: readonly ScenarioPrompt[], samples: number, seed: number): Share[] {
  const some = Math.min(prompts.length, Math.ceil(samples / LEAST_EACH));
  const order = shuffled(prompts, createRng(seed, "held-out-order")).slice(0, some);
  const each = Math.floor(samples / order.length);
  const more = samples % order.length;
  return [
    { prompts: order.slice(0, more), each: each + 1 },
    { prompts: order.slice(more), each },
  ].filter((share) => share.prompts.length > 0 && share.each > 0);
}

/** @throws PlaygroundError `aborted` when the signal fires between two chunks of decoding. */
export async function answerHeldOut(
  policy: Policy,
  codec: TextCodec,
  request: HeldOutRequest,
): Promise<HeldOutAnswer[]> {
  const { spec, step } = request;
  const answers: HeldOutAnswer[] = [];
  for (const { prompts, groupSize, stream } of batches(spec)) {
    throwIfAborted(request.signal, `evaluation at step ${step}`);
    const before = answers.length;
    const onProgress = (tokens: number): void =>
      request.onProgress?.(before + Math.floor(tokens / spec.grpo.max_completion_length));
    const groups = await sampleGroups(policy, codec, {
      prompts,
      groupSize,
      adapter: request.adapter,
      sampling: spec.grpo,
      seed: spec.seed,
      stream: ["held-out", step, ...stream],
      signal: request.signal,
      onProgress,
    });
    answers.push(
      ...groups.flatMap((group) =>
        group.answers.map((answer, i) => ({
          promptId: group.prompt.id,
          ...answer,
          length: group.completions[i]?.tokens.length ?? 0,
        })),
      ),
    );
    request.onProgress?.(answers.length);
  }
  return answers;
}

interface Batch {
  readonly prompts: readonly ScenarioPrompt[];
  readonly groupSize: number;
  /** Names its random numbers. */
  readonly stream: readonly number[];
}

/** The samples as requests no larger than a training step: several prompts in one, or one prompt in several. */
function batches(spec: RunSpec): Batch[] {
  const rows = spec.grpo.num_generations * spec.grpo.prompts_per_step;
  const mostEach = Math.max(rows, LEAST_ROWS);
  return shareSamples(spec.heldOutPrompts, spec.evaluationSamples, spec.seed).flatMap(({ prompts, each }) => {
    const perRequest = Math.max(1, Math.floor(rows / each));
    const firsts = range(prompts.length, perRequest);
    return firsts.flatMap((at) =>
      range(each, mostEach).map((from) => ({
        prompts: prompts.slice(at, at + perRequest),
        groupSize: Math.min(mostEach, each - from),
        stream: from === 0 ? [each, at] : [each, at, from],
      })),
    );
  });
}

/** 0, step, 2 step ... below the end. */
function range(end: number, step: number): number[] {
  return Array.from({ length: Math.ceil(end / step) }, (_, i) => i * step);
}
