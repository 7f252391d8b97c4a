/**
 * How fast a loaded model samples and learns here. Sampling is timed with a small and a larger group, since a token of more
 * rows costs less than as many tokens of one; the update with one pass, by its packed rows. What is sampled is thrown away.
 */
import { createRng } from "../../base/rng.ts";
import type { MeasuredSpeed } from "../../domain/run/memory-plan.ts";
import { packedRows } from "../../training/planner.ts";
import type { Completion, Policy, TextCodec } from "../../training/policy.ts";
import { trialUpdate } from "./trial-update.ts";

const GROUPS = [2, 8] as const;
const TOKENS = 8;
/** What took no longer is run again: the first run includes what is compiled once. */
const SHORT_MS = 3000;

export interface SpeedOptions {
  readonly policy: Policy;
  readonly codec: TextCodec;
  /** Milliseconds; only differences are used. */
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onTry: (done: number, total: number) => void;
}

/** @throws PlaygroundError `aborted` between two measurements */
export async function measureSpeed(options: SpeedOptions): Promise<MeasuredSpeed> {
  const { policy, codec, now, signal, onTry } = options;
  const stream = createRng(1, "speed");
  const uniform = (): number => stream.next();
  const adapter = policy.initialAdapter(uniform);
  const prompt = codec.encodePrompt([{ role: "user", content: "Please answer this message." }]);
  const sampling = { maxTokens: TOKENS, temperature: 1, topK: 0, topP: 1, uniform, adapter };
  const sample = async (groupSize: number): Promise<readonly Completion[]> => {
    const [group = []] = await policy.rollout({
      prompts: [prompt],
      groupSize,
      ...sampling,
      ...(signal && { signal }),
    });
    return group;
  };
  const [few, many] = GROUPS;
  const [small] = await timed(now, () => sample(few));
  onTry(1, 3);
  const [large, group] = await timed(now, () => sample(many));
  onTry(2, 3);
  const trial = { prompt, group: group.slice(0, few), adapter, tokens: TOKENS };
  const [update] = await timed(now, () => trialUpdate(policy, trial));
  onTry(3, 3);
  const rowMs = Math.max(0, large - small) / ((many - few) * TOKENS);
  return {
    decodeTokenMs: Math.max(0, small / TOKENS - few * rowMs),
    decodeRowMs: rowMs,
    updateRowMs: update / packedRows(prompt.length, few, TOKENS),
  };
}

/** Milliseconds and result of the second run, or of the first where it took long. */
async function timed<T>(now: () => number, work: () => Promise<T>): Promise<readonly [number, T]> {
  const once = async (): Promise<readonly [number, T]> => {
    const begun = now();
    const result = await work();
    return [now() - begun, result];
  };
  const first = await once();
  return first[0] > SHORT_MS ? first : once();
}
