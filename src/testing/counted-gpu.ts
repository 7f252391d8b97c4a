/** Counts the GPU buffers of a browser's devices, onnxruntime's own among them, for tests of the planner and for `npm run check:gpu`. */

export interface CountedGpu {
  /** How many buffers are alive now. */
  readonly count: () => number;
  /** Their bytes. */
  readonly held: () => number;
  /** Most bytes alive since the last call. */
  readonly takePeak: () => number;
  /** Counts no more. */
  readonly stop: () => void;
}

/** Call before any device is opened. */
export function countGpuBuffers(): CountedGpu {
  const device = GPUDevice.prototype as {
    createBuffer: (this: GPUDevice, descriptor: GPUBufferDescriptor) => GPUBuffer;
  };
  const buffer = GPUBuffer.prototype as { destroy: (this: GPUBuffer) => undefined };
  const { createBuffer } = device;
  const { destroy } = buffer;
  const alive = new Map<GPUBuffer, number>();
  let held = 0;
  let peak = 0;
  device.createBuffer = function (descriptor) {
    const made = createBuffer.call(this, descriptor);
    alive.set(made, made.size);
    held += made.size;
    peak = Math.max(peak, held);
    return made;
  };
  buffer.destroy = function () {
    held -= alive.get(this) ?? 0;
    alive.delete(this);
    destroy.call(this);
    return undefined;
  };
  return {
    count: () => alive.size,
    held: () => held,
    takePeak: () => {
      const most = peak;
      peak = held;
      return most;
    },
    stop: () => {
      device.createBuffer = createBuffer;
      buffer.destroy = destroy;
    },
  };
}
