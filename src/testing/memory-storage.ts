/** The browser's key-value storage for tests: a reload forgets it. */
import type { KeyValueStorage } from "../app/store/page-storage.ts";

export function memoryStorage(): KeyValueStorage {
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
