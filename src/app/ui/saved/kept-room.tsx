/** How much of the browser's storage this site uses, and whether the browser has promised to keep it. */
import { useEffect, useState } from "react";
import { useText } from "../text/text-context.ts";

/** Bytes in a person's unit. */
export function megabytes(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

interface Room {
  readonly used: number;
  readonly most: number;
  readonly persisted: boolean;
}

/** Null where the browser does not tell. */
async function measure(): Promise<Room | null> {
  const storage = navigator.storage as StorageManager | undefined; // plain http has none
  const { usage: used, quota: most } = (await storage?.estimate().catch(() => undefined)) ?? {};
  if (storage === undefined || used === undefined || most === undefined) return null;
  return { used, most, persisted: await storage.persisted() };
}

export function KeptRoom() {
  const text = useText().saved;
  const [room, setRoom] = useState<Room | null>(null);
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    void measure().then(setRoom);
  }, []);
  if (room === null) return null;
  const ask = async (): Promise<void> => {
    const persisted = await navigator.storage.persist();
    setRefused(!persisted);
    setRoom({ ...room, persisted });
  };
  return (
    <p className="soft">
      {text.room(megabytes(room.used), megabytes(room.most))} {room.persisted && text.persisted}
      {refused && text.refused}{" "}
      {!room.persisted && !refused && (
        <button type="button" className="pill small" onClick={() => void ask()}>
          {text.persist}
        </button>
      )}
    </p>
  );
}
