/**
 * The one error type of the product. A fault carries a stable code and a message that says where it happened,
 * what was expected, what came and what to do next; it is never turned into a plausible value.
 */

/** Stable codes; the page switches on them, never on message texts. */
export type ErrorCode =
  | "internal"
  | "worker-failed"
  | "worker-ended"
  | "graph-invalid"
  | "model-unsupported"
  | "model-broken"
  | "model-other"
  | "model-fetch-failed"
  | "model-file-choice"
  | "adapter-refused"
  | "tokenizer-broken"
  | "rubric-invalid"
  | "judge-refused"
  | "judge-silent"
  | "judge-spent"
  | "config-invalid"
  | "run-state"
  | "run-elsewhere"
  | "not-finite"
  | "diverged"
  | "out-of-memory"
  | "webgpu-missing"
  | "webgpu-limits"
  | "webgpu-lost"
  | "session-failed"
  | "storage-failed"
  | "storage-full"
  | "record-invalid"
  | "aborted";

/** What an error says, field by field. */
export interface Fault {
  readonly code: ErrorCode;
  /** File, tensor, field, step ... as a person would look it up. */
  readonly where: string;
  readonly expected: string;
  readonly got: string;
  /** What the person can do now. */
  readonly next: string;
}

/** A fault as it travels over the worker's edge. */
export interface FaultMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly where: string;
}

/** Thrown across wings; the message is `where: expected ..., got .... next`. */
export class PlaygroundError extends Error {
  readonly code: ErrorCode;
  readonly where: string;

  constructor(fault: Fault, options?: { readonly cause?: unknown }) {
    super(`${fault.where}: expected ${fault.expected}, got ${fault.got}. ${fault.next}`, options);
    this.name = "PlaygroundError";
    this.code = fault.code;
    this.where = fault.where;
  }
}

/** Any thrown value as a message that can cross the worker's edge; what is not ours gets the code `internal`. */
export function toFaultMessage(error: unknown, where: string): FaultMessage {
  if (error instanceof PlaygroundError) {
    return { code: error.code, message: error.message, where: error.where };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message: `${where}: ${message}`, where };
}
