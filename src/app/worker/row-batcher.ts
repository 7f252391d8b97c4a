/** Gathers what a run says and passes it on at most four times a second, so that the page stays responsive. */
import type { RolloutGroup, SeedRow } from "../../domain/run/records.ts";
import type { WorkerEvent } from "../protocol/messages.ts";

const FLUSH_EVERY_MS = 250;

export interface RowBatcher {
  addRows(rows: readonly SeedRow[]): void;
  /** Only the newest step's rollouts are passed on. */
  setRollouts(seed: number, groups: readonly RolloutGroup[]): void;
  setSpeed(stepsPerSecond: number | null): void;
  /** Passes on what is waiting now, e.g. before the state changes. */
  flush(): void;
  /** Forgets what is waiting: it belongs to a run that has been replaced. */
  clear(): void;
}

/** `schedule` calls back after so many milliseconds (`setTimeout` in the worker). */
export function createRowBatcher(
  emit: (event: WorkerEvent) => void,
  now: () => number,
  schedule: (callback: () => void, delayMs: number) => void,
): RowBatcher {
  let rows: SeedRow[] = [];
  let rollouts: { readonly seed: number; readonly groups: readonly RolloutGroup[] } | null = null;
  let stepsPerSecond: number | null = null;
  let lastFlush = Number.NEGATIVE_INFINITY;
  let scheduled = false;

  const flush = (): void => {
    if (rows.length > 0) emit({ kind: "rows", rows, stepsPerSecond });
    if (rollouts !== null) emit({ kind: "rollouts", ...rollouts });
    if (rows.length > 0 || rollouts !== null) lastFlush = now();
    rows = [];
    rollouts = null;
  };
  const flushSoon = (): void => {
    if (scheduled) return;
    scheduled = true;
    schedule(
      () => {
        scheduled = false;
        flush();
      },
      Math.max(0, lastFlush + FLUSH_EVERY_MS - now()),
    );
  };
  return {
    addRows: (more) => {
      rows.push(...more);
      if (rows.length > 0) flushSoon();
    },
    setRollouts: (seed, groups) => {
      rollouts = { seed, groups };
      flushSoon();
    },
    setSpeed: (speed) => {
      stepsPerSecond = speed;
    },
    flush,
    clear: () => {
      rows = [];
      rollouts = null;
    },
  };
}
