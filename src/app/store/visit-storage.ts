/** Key-value storage that lasts for one visit: where the browser gives none, and in tests. */
import type { FaultMessage } from "../../base/errors.ts";
import type { KeyValueStorage } from "./page-storage.ts";

/** Empty storage that a reload forgets. */
export function visitStorage(): KeyValueStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => {
      items.set(key, value);
    },
    removeItem: (key) => {
      items.delete(key);
    },
  };
}

export interface OpenedStorage {
  readonly storage: KeyValueStorage;
  /** Why nothing is kept beyond this visit; null where the browser keeps it. */
  readonly fault: FaultMessage | null;
}

/** The browser's storage. Where site data is blocked even the question for it throws: then one for this visit. */
export function openStorage(browsers: () => KeyValueStorage): OpenedStorage {
  try {
    return { storage: browsers(), fault: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `localStorage: ${why} Edits and prompts count for this visit; allow site data to keep them.`;
    return { storage: visitStorage(), fault: { code: "storage-failed", message, where: "localStorage" } };
  }
}
