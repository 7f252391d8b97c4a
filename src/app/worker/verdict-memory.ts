/**
 * What judges have said, by judge: in memory, and in the browser's storage where it has one, so that a run that goes on after a
 * reload meets the same verdicts and pays for none twice. Prompts, answers, criteria and verdicts stand in it, a key never.
 */
import type { CacheFor } from "../../training/judges/judge-tools.ts";
import {
  createVerdictCache,
  type KeptVerdict,
  type VerdictCache,
} from "../../training/judges/verdict-cache.ts";

/** Where verdicts outlive the worker. The name of a judge says all that its verdicts depend on. */
export interface VerdictStore {
  /** Oldest first. */
  load(judge: string): Promise<readonly KeptVerdict[]>;
  append(judge: string, verdicts: readonly KeptVerdict[]): Promise<void>;
  sizeBytes(): Promise<number>;
  clear(): Promise<void>;
}

export interface VerdictMemory {
  readonly cacheFor: CacheFor;
  /** Writes down what is new; called before a run is saved, so that a run that is kept has its verdicts. */
  flush(): Promise<void>;
  /** Bytes in the browser's storage; null where they are in memory alone. */
  keptBytes(): Promise<number | null>;
  forget(): Promise<void>;
}

/** Verdicts are written down so long after the first new one. */
const WRITE_AFTER_MS = 2000;

/** Opened when a judge is first asked; null = there is none here. */
export type OpenVerdictStore = () => Promise<VerdictStore | null>;

export function createVerdictMemory(
  openStore: OpenVerdictStore,
  schedule: (callback: () => void, delayMs: number) => void,
): VerdictMemory {
  const caches = new Map<string, Promise<VerdictCache>>();
  let unwritten = new Map<string, KeptVerdict[]>();
  let writing = Promise.resolve();
  let opened: Promise<VerdictStore | null> | null = null;
  // a storage that is full or was taken away costs only that verdicts are asked for again after a reload
  let lost = false;
  const lose = (): null => {
    lost = true;
    return null;
  };
  const storeHere = (): Promise<VerdictStore | null> => (opened ??= openStore().catch(lose));
  const write = async (): Promise<void> => {
    const taken = unwritten;
    unwritten = new Map();
    const store = taken.size === 0 ? null : await storeHere();
    for (const [judge, verdicts] of taken) await store?.append(judge, verdicts).catch(lose);
  };
  const flush = (): Promise<void> => (writing = writing.then(write));
  const open = async (judge: string): Promise<VerdictCache> => {
    const store = await storeHere();
    const before = (await store?.load(judge).catch(lose)) ?? [];
    const onPut = (verdict: KeptVerdict): void => {
      if (store === null || lost) return;
      if (unwritten.size === 0) schedule(() => void flush(), WRITE_AFTER_MS);
      unwritten.set(judge, [...(unwritten.get(judge) ?? []), verdict]);
    };
    return createVerdictCache({ before, onPut });
  };
  return {
    cacheFor: (judge) => {
      const cache = caches.get(judge) ?? open(judge);
      caches.set(judge, cache);
      return cache;
    },
    flush,
    keptBytes: async () => {
      await flush();
      const store = await storeHere();
      return store === null || lost ? null : store.sizeBytes().catch(lose);
    },
    forget: async () => {
      unwritten = new Map();
      await writing;
      for (const cache of caches.values()) (await cache).clear();
      await (await storeHere())?.clear();
    },
  };
}
