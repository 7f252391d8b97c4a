/** Saved runs in memory, each with all its checkpoints, for tests that need no browser. */
import type { SavedRun } from "../app/protocol/messages.ts";
import { summaries, type RunStore, type StoredRun } from "../app/worker/run-store.ts";

export interface MemoryRunStore extends RunStore {
  /** Thrown by every save while it is there. */
  fault: Error | null;
  /** How long saving takes. */
  saveMs: number;
}

export function memoryRunStore(): MemoryRunStore {
  const runs = new Map<string, readonly StoredRun[]>(); // newest first
  const describe = (kept: readonly StoredRun[]): SavedRun[] =>
    kept.slice(0, 1).map(({ bytes, ...about }) => ({
      ...about,
      sizeBytes: bytes.length,
      checkpoints: kept.map(({ step, savedAt, bytes: { length } }) => ({
        id: String(step),
        step,
        savedAt,
        sizeBytes: length,
      })),
    }));
  const store: MemoryRunStore = {
    fault: null,
    saveMs: 0,
    save: async (run) => {
      if (store.fault !== null) throw store.fault;
      if (store.saveMs > 0) await new Promise((resolve) => setTimeout(resolve, store.saveMs));
      const before = runs.get(run.id) ?? [];
      runs.set(run.id, [run, ...before.filter(({ step }) => step !== run.step)]);
    },
    list: () => Promise.resolve({ place: "files", runs: summaries([...runs.values()].flatMap(describe)) }),
    load: (id, checkpoint) => {
      const kept = runs.get(id) ?? [];
      const found = checkpoint === null ? kept[0] : kept.find(({ step }) => String(step) === checkpoint);
      return Promise.resolve(found?.bytes ?? null);
    },
    delete: (id) => Promise.resolve(void runs.delete(id)),
  };
  return store;
}
