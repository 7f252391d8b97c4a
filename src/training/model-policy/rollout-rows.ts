/** Collects sampled tokens row by row and cuts each row at its end token. */
import { PlaygroundError } from "../../base/errors.ts";
import type { Completion } from "../policy.ts";

export interface RolloutRows {
  /** Appends k tokens a row, [k, B] row-major; what follows a row's end token is dropped. */
  append(tokens: Int32Array, logProbs: Float32Array): void;
  allEnded(): boolean;
  /** Tokens kept so far, over all rows. */
  count(): number;
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
