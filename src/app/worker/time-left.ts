/** How long something will still take, from how long it has taken so far. */
import type { Progress } from "../protocol/messages.ts";

/** Says nothing from less than this share: the first pieces of work are slower than the rest. */
const LEAST_SHARE = 0.02;

/** Progress reports of one piece of work that starts now. */
export function createProgress(
  phase: Progress["phase"],
  unit: Progress["unit"],
  now: () => number,
): (done: number, total: number) => Progress {
  const startedAt = now();
  let before: number | null = null;
  return (done, total) => {
    before ??= done;
    const share = total > before ? (done - before) / (total - before) : 0;
    const leftMs = share < LEAST_SHARE ? null : ((now() - startedAt) * (1 - share)) / share;
    return { phase, done, total, unit, leftMs };
  };
}
