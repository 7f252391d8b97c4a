/** What both kinds of rollout share: the prompt's feeds, the temperature's, and rows that end at their end token. */
import { PlaygroundError } from "../../base/errors.ts";
import { float32, type HostTensor, int32 } from "../../engine/graph/tensor.ts";
import type { Completion, PromptTokens } from "../policy.ts";

/** Inputs of the prefill graph but for adapter and cache. */
export function promptFeeds(prompt: PromptTokens): Readonly<Record<string, HostTensor>> {
  const T = prompt.length;
  return {
    ids: int32([T], prompt),
    positions: { dtype: "int64", dims: [T, 1], data: BigInt64Array.from(prompt, (_, t) => BigInt(t)) },
    seqLensK: int32([1], Int32Array.of(T - 1)),
    totalLength: int32([1], Int32Array.of(T)),
    lastRow: int32([1], Int32Array.of(T - 1)),
  };
}

/** 1 / temperature [1]; greedy decoding (temperature 0) leaves the logits as they are. */
export function inverseTemperature(temperature: number): HostTensor {
  return float32([1], Float32Array.of(temperature === 0 ? 1 : 1 / temperature));
}

export interface RolloutRows {
  /** Appends k tokens a row, [k, B] row-major; what follows a row's end token is dropped. */
  append(tokens: Int32Array, logProbs: Float32Array): void;
  allEnded(): boolean;
  /** Tokens kept so far, over all rows. */
  count(): number;
  /** Of each row, so far. */
  tokens(): Int32Array[];
  completions(): Completion[];
}

export function createRows(batch: number, endTokenIds: readonly number[]): RolloutRows {
  const rows = Array.from({ length: batch }, () => ({
    tokens: [] as number[],
    logProbs: [] as number[],
    ended: false,
  }));
  return {
    append(tokens, logProbs) {
      tokens.forEach((token, i) => {
        const row = rows[i % batch];
        if (!row || row.ended) return;
        row.tokens.push(token);
        row.logProbs.push(logProbs[i] ?? NaN);
        row.ended = endTokenIds.includes(token);
      });
    },
    allEnded: () => rows.every((row) => row.ended),
    count: () => rows.reduce((sum, row) => sum + row.tokens.length, 0),
    tokens: () => rows.map(({ tokens }) => Int32Array.from(tokens)),
    completions: () =>
      rows.map(({ tokens, logProbs, ended }) => ({
        tokens: Int32Array.from(tokens),
        logProbs: Float32Array.from(logProbs),
        ended,
      })),
  };
}

/** Throws `aborted` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new PlaygroundError({
    code: "aborted",
    where: "rollout",
    expected: "to finish decoding",
    got: "a request to stop",
    next: "Nothing is lost: the run stands at its last finished step.",
  });
}
