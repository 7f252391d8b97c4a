/**
 * One thing at a time, in order. Two overlapping runs of onnxruntime's WebGPU provider never return, and a session
 * may not be made or released during a run, so everything that enters the runtime passes through here.
 */

export interface RunQueue {
  /** Runs `task` after all earlier ones have ended, whether they failed or not; its result or error is the caller's. */
  enqueue<T>(task: () => Promise<T> | T): Promise<T>;
}

export function createRunQueue(): RunQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    enqueue(task) {
      const result = last.then(task);
      last = result.catch(() => undefined); // a failure belongs to its own caller, not to the next in line
      return result;
    },
  };
}
