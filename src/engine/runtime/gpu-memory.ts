/**
 * Device tensors as GPU buffers. Uploaded ones are ours and are destroyed on release; outputs of runs are
 * onnxruntime's and go back to its pool. Knows nothing of sessions.
 */
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import type { DType, HostTensor } from "../graph/tensor.ts";
import type { DeviceMemory } from "./device-memory.ts";
import { byteSize, fromOrtTensor, type Ort, type OrtTensor } from "./ort.ts";
import { createTensorLedger } from "./tensor-ledger.ts";

interface GpuBacking {
  readonly tensor: OrtTensor;
  readonly free: () => Promise<void> | void;
}

/** onnxruntime's kernels read in words of up to 16 bytes. */
const padded = (bytes: number): number => Math.max(16, Math.ceil(bytes / 16) * 16);

export function createGpuMemory(ort: Ort, device: GPUDevice): DeviceMemory {
  const ledger = createTensorLedger<GpuBacking>();
  const bufferOf = (tensor: OrtTensor): GPUBuffer =>
    defined(tensor.gpuBuffer, "GPU buffer of a device tensor");
  return {
    upload(tensor) {
      const buffer = createBuffer(device, tensor);
      const gpu = ort.Tensor.fromGpuBuffer(buffer, { dataType: tensor.dtype, dims: tensor.dims });
      return ledger.add(tensor, {
        tensor: gpu,
        free: () => {
          buffer.destroy();
        },
      });
    },
    async download(tensor) {
      const data = await readBuffer(device, bufferOf(ledger.get(tensor).tensor), byteSize(tensor));
      return { dtype: tensor.dtype, dims: tensor.dims, data: asTyped(tensor.dtype, data) };
    },
    release: (tensor) => ledger.remove(tensor).free,
    live: () => ledger.live(),
    feed: (tensor) => ledger.get(tensor).tensor,
    fetch: (tensor) => ledger.get(tensor).tensor,
    settle: () => undefined,
    adopt(result, lease) {
      if (result.location === "cpu") return this.upload(fromOrtTensor(result)); // onnxruntime keeps empty outputs on the host
      const shape = { dtype: result.type as DType, dims: result.dims };
      const giveBack = lease.take();
      return ledger.add(shape, {
        tensor: result,
        free: () => {
          result.dispose();
          return giveBack();
        },
      });
    },
    async dispose() {
      for (const backing of ledger.removeAll()) await backing.free();
    },
  };
}

function createBuffer(device: GPUDevice, tensor: HostTensor): GPUBuffer {
  const bytes = byteSize(tensor);
  const most = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
  if (padded(bytes) > most) {
    throw new PlaygroundError({
      code: "webgpu-limits",
      where: `GPU buffer of ${tensor.dtype} [${tensor.dims.join(", ")}]`,
      expected: `at most ${most} bytes in one buffer`,
      got: `${bytes}`,
      next: "Choose a smaller model or run it on WASM.",
    });
  }
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: padded(bytes), usage });
  writeBuffer(device, buffer, new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, bytes));
  return buffer;
}

/** Small enough for Chromium to pass it on without memory of its own. */
const PIECE_BYTES = 2 ** 18;

/**
 * In pieces, since Chromium keeps the memory through which a buffer was mapped: the weights would stay in the page's process and in
 * the GPU's once more.
 */
function writeBuffer(device: GPUDevice, buffer: GPUBuffer, source: Uint8Array): void {
  const whole = source.length - (source.length % 4); // what WebGPU writes is in words
  for (let at = 0; at < whole; at += PIECE_BYTES)
    device.queue.writeBuffer(buffer, at, source, at, Math.min(PIECE_BYTES, whole - at));
  if (whole === source.length) return;
  const last = new Uint8Array(4);
  last.set(source.subarray(whole));
  device.queue.writeBuffer(buffer, whole, last);
}

async function readBuffer(device: GPUDevice, source: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
  const size = Math.ceil(bytes / 4) * 4;
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  try {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(source, 0, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    return staging.getMappedRange().slice(0, bytes);
  } finally {
    staging.destroy();
  }
}

function asTyped(dtype: DType, data: ArrayBuffer): HostTensor["data"] {
  switch (dtype) {
    case "float32":
      return new Float32Array(data);
    case "int32":
      return new Int32Array(data);
    case "int64":
      return new BigInt64Array(data);
    case "bool":
    case "uint8":
      return new Uint8Array(data);
  }
}
