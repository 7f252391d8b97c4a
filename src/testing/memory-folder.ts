/** The browser's private files in memory, as far as the product uses them: what is written is there once its stream is closed. */

type Entry = Map<string, Entry> | Blob;

/** A folder with nothing in it. `room` = bytes that fit into one file; writing more is refused as in a full storage. */
export function memoryFolder(room = Infinity): FileSystemDirectoryHandle {
  return folderOf(new Map(), room);
}

function missing(name: string): DOMException {
  return new DOMException(`no ${name}`, "NotFoundError");
}

function folderOf(entries: Map<string, Entry>, room: number): FileSystemDirectoryHandle {
  const handleOf = (name: string, entry: Entry) =>
    entry instanceof Map ? folderOf(entry, room) : fileOf(entries, name, room);
  const folder = {
    kind: "directory" as const,
    getDirectoryHandle: (name: string, { create = false } = {}) => {
      const found = entries.get(name) ?? (create ? new Map<string, Entry>() : undefined);
      if (!(found instanceof Map)) return Promise.reject(missing(name));
      entries.set(name, found);
      return Promise.resolve(folderOf(found, room));
    },
    getFileHandle: (name: string, { create = false } = {}) => {
      if (!entries.has(name)) {
        if (!create) return Promise.reject(missing(name));
        entries.set(name, new Blob([]));
      }
      return Promise.resolve(fileOf(entries, name, room));
    },
    removeEntry: (name: string) => (entries.delete(name) ? Promise.resolve() : Promise.reject(missing(name))),
    keys: () => inTurn([...entries.keys()]),
    values: () => inTurn([...entries].map(([name, entry]) => handleOf(name, entry))),
    entries: () => inTurn([...entries].map(([name, entry]) => [name, handleOf(name, entry)])),
  };
  return folder as unknown as FileSystemDirectoryHandle;
}

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

function fileOf(entries: Map<string, Entry>, name: string, room: number): FileSystemFileHandle {
  const file = {
    kind: "file" as const,
    getFile: () => {
      const blob = entries.get(name);
      return blob instanceof Blob ? Promise.resolve(new File([blob], name)) : Promise.reject(missing(name));
    },
    createWritable: () => {
      const parts: BlobPart[] = [];
      return Promise.resolve({
        write: (part: BlobPart) => {
          const copy = new Blob([part]); // later changes of an array are not written
          if (copy.size > room) return Promise.reject(new DOMException("full", "QuotaExceededError"));
          return Promise.resolve(void parts.push(copy));
        },
        close: () => Promise.resolve(void entries.set(name, new Blob(parts))),
        abort: () => Promise.resolve(),
      });
    },
  };
  return file as unknown as FileSystemFileHandle;
}
