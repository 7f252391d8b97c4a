/** A connection that failed, not an answer that refused: how often it is tried again, and after what waits. */
import { PlaygroundError } from "../../base/errors.ts";
import { pause, type Remote, Stalled } from "./download.ts";
import type { ReadOptions } from "./model-source.ts";

/** Tries in a row that may end without a byte, with waits of .5, 1, 2, 4 and 8 seconds between them. */
const MOST_FAILURES = 6;
const FIRST_WAIT_MS = 500;

export class Broken extends Error {
  readonly fault: PlaygroundError;
  constructor(fault: PlaygroundError) {
    super(fault.message, { cause: fault });
    this.fault = fault;
  }
}

/** @throws Broken for what failed on the way, everything else as it is. */
export async function breakable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    // what fetch itself threw: `guarded` keeps it as the cause
    const network = fault instanceof PlaygroundError && fault.code !== "aborted" && fault.cause !== undefined;
    throw network ? new Broken(fault) : fault;
  }
}

interface Patience {
  /** Waits before another try. @throws PlaygroundError the fault, after too many in a row; `aborted` */
  readonly after: (broken: Broken) => Promise<void>;
  /** Bytes came. */
  readonly renew: () => void;
}

/** A try that stalled counts for two: it has waited long already. */
export function createPatience(remote: Remote, options: ReadOptions): Patience {
  let failures = 0;
  return {
    after: async ({ fault }) => {
      failures += fault.cause instanceof Stalled ? 2 : 1;
      if (failures >= MOST_FAILURES) throw fault;
      if (failures > 1) await pause(remote, FIRST_WAIT_MS * 2 ** (failures - 2), options);
    },
    renew: () => {
      failures = 0;
    },
  };
}

/** Tries a reading that starts anew each time, as long as it breaks off. @throws PlaygroundError as `after`, or of the reading */
export async function untilWhole<T>(
  remote: Remote,
  options: ReadOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const patience = createPatience(remote, options);
  for (;;) {
    try {
      return await attempt();
    } catch (fault) {
      if (!(fault instanceof Broken)) throw fault;
      await patience.after(fault);
    }
  }
}
