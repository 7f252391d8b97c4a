/** Watches over an engine's device: loss, disposal, and GPU errors that no promise of the runtime reports. */
import { PlaygroundError } from "../../base/errors.ts";
import type { OpenGpu } from "./device.ts";

export interface DeviceLife {
  /** @throws PlaygroundError `webgpu-lost`, or `internal` after the engine's end. */
  check(): void;
  /** Runs a task on a living device; a GPU error raised meanwhile is the task's failure. */
  guard<T>(task: () => Promise<T>): Promise<T>;
  /** Rejects with `webgpu-lost` when the device goes; never resolves. */
  readonly lost: Promise<never>;
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
  const lost = new Promise<never>((_resolve, reject) => {
    void gpu?.device.lost.then((info) => {
      ended ??= lostError(gpu.report.description, info.message);
      reject(ended);
    });
  });
  lost.catch(() => undefined); // whoever races against it hears of it
  const check = (): void => {
    if (ended) throw ended;
  };
  return {
    check,
    lost,
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
