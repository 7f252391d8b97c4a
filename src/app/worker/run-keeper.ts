/** Keeps a run's checkpoints in the store, one after the other, and none twice. */
import { sealRecords } from "../../training/checkpoints.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { SeedRuns } from "../../training/seed-runs.ts";
import { createLock } from "./lock.ts";
import type { RunStore } from "./run-store.ts";

export interface RunKeeper {
  /** The step that was kept; null where nothing was new. @throws PlaygroundError `storage-failed` or `storage-full`. */
  keep(runs: SeedRuns): Promise<number | null>;
}

export interface KeeperDeps {
  readonly store: RunStore;
  /** Milliseconds since 1970, for "saved at". */
  readonly wallClock: () => number;
  /** Name of the loaded model; null without one. */
  readonly modelName: () => string | null;
}

export function createRunKeeper({ store, wallClock, modelName }: KeeperDeps): RunKeeper {
  const inTurn = createLock();
  let kept: readonly RunRecord[] = [];
  const keep = async (runs: SeedRuns): Promise<number | null> => {
    const { records, seeds, step } = runs;
    const [first] = records;
    if (first === undefined || records.every((record, i) => record === kept[i])) return null;
    const { id, spec } = first;
    await store.save({
      id,
      scenarioId: spec.scenarioId,
      savedAt: wallClock(),
      step,
      maxSteps: spec.grpo.max_steps,
      spec,
      seeds,
      model: modelName() ?? undefined,
      bytes: sealRecords(records),
    });
    kept = records;
    return step;
  };
  return { keep: (runs) => inTurn(() => keep(runs)) };
}
