/**
 * Keeps a session until its last output on the device is gone: onnxruntime-web crashes when an output is freed
 * after the session that made it.
 */
import type { OrtSession } from "./ort.ts";

export interface SessionLease {
  readonly session: OrtSession;
  /** Counts an output; the returned function, called once the output is freed, may release the session. */
  take(): () => Promise<void>;
  /** Releases the session now, or after its last output. */
  end(): Promise<void>;
}

export function leaseSession(session: OrtSession): SessionLease {
  let outputs = 0;
  let ended = false;
  const releaseWhenFree = async (): Promise<void> => {
    if (ended && outputs === 0) await session.release();
  };
  return {
    session,
    take() {
      outputs += 1;
      return () => {
        outputs -= 1;
        return releaseWhenFree();
      };
    },
    end() {
      ended = true;
      return releaseWhenFree();
    },
  };
}
