/** Watches over an engine's device: loss, disposal, and GPU errors that no promise of the runtime reports. */
import { PlaygroundError } from "../../base/errors.ts";
import type { OpenGpu } from "./device.ts";

export interface DeviceLife {
  /** @throws PlaygroundError `webgpu-lost`, or `internal` after the engine's end. */
  check(): void;
  /** Runs a task on a living device; a GPU error raised meanwhile is the task's failure. */
  guard<T>(task: () => Promise<T>): Promise<T>;
  /** The promise's outcome, or `webgpu-lost` as soon as the device goes: a run on a lost device may never end. */
  unlessLost<T>(promise: Promise<T>): Promise<T>;
  isLost(): boolean;
  /** The engine's end: nothing enters any more. */
  end(): void;
}

/** The life of a WebGPU engine's device, or of a heap engine (null), which only ends. */
export function watchDevice(gpu: OpenGpu | null): DeviceLife {
  let ended: PlaygroundError | null = null;
  let gpuError: string | null = null;
  gpu?.device.addEventListener("uncapturederror", (event) => {
    gpuError ??= event.error.message;
  });
  // Waiters come and go; Promise.race against one long-lived promise would keep every result it ever saw.
  const waiting = new Set<(error: PlaygroundError) => void>();
  void gpu?.device.lost.then((info) => {
    ended ??= lostError(gpu.report.description, info.message);
    for (const reject of waiting) reject(ended);
  });
  const check = (): void => {
    if (ended) throw ended;
  };
  return {
    check,
    unlessLost: (promise) =>
      new Promise((resolve, reject) => {
        if (ended?.code === "webgpu-lost") reject(ended);
        waiting.add(reject);
        void promise.then(resolve, reject).finally(() => waiting.delete(reject));
      }),
    async guard(task) {
      check();
      const result = await task();
      const message = gpuError;
      gpuError = null;
      if (message !== null) throw new Error(`GPU error: ${message}`);
      return result;
    },
    isLost: () => ended?.code === "webgpu-lost",
    end() {
      ended ??= disposedError();
    },
  };
}

const lostError = (adapter: string, message: string): PlaygroundError =>
  new PlaygroundError({
    code: "webgpu-lost",
    where: `GPU ${adapter}`,
    expected: "the device to stay",
    got: message === "" ? "a lost device" : message.replace(/\.$/, ""),
    next: "Load the model again; the run goes on from its last good step.",
  });

const disposedError = (): PlaygroundError =>
  new PlaygroundError({
    code: "internal",
    where: "engine",
    expected: "an engine in use",
    got: "one that was disposed",
    next: "This is a defect of the playground: please report it.",
  });
