/** One question to a judge at a time: its result, its fault, and a way to stop it. */
import { useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import { requestFault } from "../../protocol/client.ts";

interface Asking<T> {
  readonly busy: boolean;
  readonly result: T | null;
  readonly fault: FaultMessage | null;
  readonly ask: (question: () => Promise<T>) => Promise<void>;
}

export function useAsking<T>(where: string): Asking<T> {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<T | null>(null);
  const [fault, setFault] = useState<FaultMessage | null>(null);
  return {
    busy,
    result,
    fault,
    ask: async (question) => {
      setBusy(true);
      setFault(null);
      setResult(null);
      try {
        setResult(await question());
      } catch (error) {
        const told = requestFault(error, where);
        if (told.code !== "aborted") setFault(told); // a person who stops it knows it
      }
      setBusy(false);
    },
  };
}
