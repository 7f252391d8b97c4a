/** What can be wrong with a run in the worker, in the product's words. */
import { PlaygroundError } from "../../base/errors.ts";
import type { RunState } from "../protocol/run-machine.ts";

/** How engines and browsers say that memory ran out: V8's buffers, WebAssembly's memory, C++'s allocator, WebGPU. */
const MEMORY =
  /allocation failed|out of memory|memory\.grow|bad_alloc|failed to allocate|invalid (typed array|array buffer) length/i;

/** The same error; one that says that memory ran out as that. */
export function withMemoryFault(error: unknown, where: string): unknown {
  const message = error instanceof Error ? error.message : String(error);
  if (!MEMORY.test(message)) return error;
  return new PlaygroundError(
    {
      code: "out-of-memory",
      where,
      expected: "memory for this step",
      got: message,
      next: "Choose a smaller micro_batch_size or max_completion_length, or load the model again.",
    },
    { cause: error },
  );
}

/** There is none. */
export function noRun(): PlaygroundError {
  return new PlaygroundError({
    code: "run-state",
    where: "run",
    expected: "a run",
    got: "none",
    next: "Make one first.",
  });
}

/** Its phase does not allow it. */
export function cannot(what: string, state: RunState): PlaygroundError {
  return new PlaygroundError({
    code: "run-state",
    where: what,
    expected: "a run that stands still and is not over",
    got: `one that is ${state.phase}`,
    next: "Pause it, or reset it.",
  });
}

/** The browser keeps no such run. */
export function noSuchRun(where: string): PlaygroundError {
  return new PlaygroundError({
    code: "record-invalid",
    where,
    expected: "a run kept in this browser",
    got: "none",
    next: "Start a new run.",
  });
}
