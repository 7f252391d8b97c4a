/** The files of a drop, folders walked through. Names and sizes only: no byte is read. */
import type { LocalFile } from "../../protocol/model-messages.ts";

/** Must be called while the drop event is handled: its items are gone afterwards. */
export async function droppedFiles({ items }: DataTransfer): Promise<readonly LocalFile[]> {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  return (await Promise.all(entries.map(filesIn))).flat();
}

async function filesIn(entry: FileSystemEntry): Promise<readonly LocalFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => {
      entry.file(resolve, reject);
    });
    return [{ path: entry.fullPath.replace(/^\//, ""), bytes: file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  // a reader gives some at a time, and none when it is at its end
  for (let some = await readSome(reader); some.length > 0; some = await readSome(reader)) found.push(...some);
  return (await Promise.all(found.map(filesIn))).flat();
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

function readSome(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });
}
