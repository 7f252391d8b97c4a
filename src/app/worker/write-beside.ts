/** Files of the origin's private file system that are there whole or not at all: written beside their place, then renamed. */

/** Renaming is in every browser that writes such files, but not in TypeScript's library. */
type NewFile = FileSystemFileHandle & { move(name: string): Promise<void> };

/** A file whose writing failed stays locked for a moment after it was given up: so many looks, so far apart. */
const LOOKS = 50;
const LOOK_EVERY_MS = 4;

/** True where this browser writes and renames such files. */
export function canWriteBeside(): boolean {
  return (
    "FileSystemFileHandle" in globalThis &&
    "createWritable" in FileSystemFileHandle.prototype &&
    "move" in FileSystemFileHandle.prototype
  );
}

/** @throws DOMException of the writing; then nothing is left beside. */
export async function writeBeside(
  folder: FileSystemDirectoryHandle,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const beside = `${name}.part`;
  const file = (await folder.getFileHandle(beside, { create: true })) as NewFile;
  const stream = await file.createWritable();
  try {
    await stream.write(content);
    await stream.close();
    await file.move(name);
  } catch (error) {
    await stream.abort().catch(() => undefined); // else the file stays locked
    await removeWhenFree(folder, beside);
    throw error;
  }
}

async function removeWhenFree(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    try {
      await folder.removeEntry(name);
      return;
    } catch {
      await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
    }
  }
}
