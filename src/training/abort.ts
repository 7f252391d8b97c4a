/** Stopping between two pieces of work: the signal as an error that everyone up the stack recognises. */
import { PlaygroundError } from "../base/errors.ts";

/** @throws PlaygroundError `aborted` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined, where: string): void {
  if (signal?.aborted !== true) return;
  throw new PlaygroundError({
    code: "aborted",
    where,
    expected: "to go on",
    got: "a request to stop",
    next: "The run stands at its last finished step.",
  });
}

/** True for the error that an abort leaves behind, whoever threw it. */
export function isAborted(error: unknown): boolean {
  return error instanceof PlaygroundError && error.code === "aborted";
}
