/** Counts every GPU buffer made in this worker, onnxruntime's own among them, until it is destroyed. */

export interface GpuBuffers {
  /** Buffers alive now, and their bytes. */
  readonly live: () => { readonly count: number; readonly bytes: number };
  /** Most bytes alive at once. */
  readonly peakBytes: () => number;
}

/** Starts counting; call it before the first device is opened. */
export function countGpuBuffers(): GpuBuffers {
  const alive = new Map<GPUBuffer, number>();
  let bytes = 0;
  let peak = 0;
  if (typeof GPUDevice !== "undefined") {
    const { createBuffer } = GPUDevice.prototype as {
      createBuffer: (this: GPUDevice, descriptor: GPUBufferDescriptor) => GPUBuffer;
    };
    const { destroy } = GPUBuffer.prototype as { destroy: (this: GPUBuffer) => undefined };
    GPUDevice.prototype.createBuffer = function (descriptor) {
      const buffer = createBuffer.call(this, descriptor);
      alive.set(buffer, buffer.size);
      bytes += buffer.size;
      peak = Math.max(peak, bytes);
      return buffer;
    };
    GPUBuffer.prototype.destroy = function () {
      bytes -= alive.get(this) ?? 0;
      alive.delete(this);
      destroy.call(this);
      return undefined;
    };
  }
  return { live: () => ({ count: alive.size, bytes }), peakBytes: () => peak };
}
