/** Where device tensors live. One interface; heap arrays for WASM and CPU here, GPU buffers in gpu-memory.ts. */
import type { HostTensor } from "../graph/tensor.ts";
import type { DeviceTensor } from "./engine.ts";
import { fromOrtTensor, toOrtTensor, type Ort, type OrtTensor } from "./ort.ts";
import type { SessionLease } from "./session-lease.ts";
import { createTensorLedger } from "./tensor-ledger.ts";

export interface DeviceMemory {
  upload(tensor: HostTensor): DeviceTensor;
  download(tensor: DeviceTensor): Promise<HostTensor>;
  /** Gives the tensor back; what is returned must run outside of any session run. */
  release(tensor: DeviceTensor): () => Promise<void> | void;
  live(): { readonly count: number; readonly bytes: number };
  /** The tensor as a feed. */
  feed(tensor: DeviceTensor): OrtTensor;
  /** The preallocated output for a bound tensor; null where the runtime returns fresh arrays and `settle` stores them. */
  fetch(tensor: DeviceTensor): OrtTensor | null;
  /** Makes a bound tensor hold what the run wrote. */
  settle(tensor: DeviceTensor, result: OrtTensor): void;
  /** Takes ownership of an output of a run; `lease` keeps its session until the output is freed. */
  adopt(result: OrtTensor, lease: SessionLease): DeviceTensor;
  dispose(): Promise<void>;
}

/** Arrays on the JavaScript heap. onnxruntime-web does not write into preallocated CPU outputs, so binding swaps arrays. */
export function createHeapMemory(ort: Ort): DeviceMemory {
  const ledger = createTensorLedger<OrtTensor>();
  return {
    upload: (tensor) => ledger.add(tensor, toOrtTensor(ort, { ...tensor, data: tensor.data.slice() })),
    download: (tensor) => {
      const host = fromOrtTensor(ledger.get(tensor));
      return Promise.resolve({ ...host, data: host.data.slice() });
    },
    release: (tensor) => {
      ledger.remove(tensor);
      return () => undefined;
    },
    live: () => ledger.live(),
    feed: (tensor) => ledger.get(tensor),
    fetch: () => null,
    settle: (tensor, result) => {
      ledger.replace(tensor, result);
    },
    adopt: (result) => ledger.add(fromOrtTensor(result), result),
    dispose: () => {
      ledger.removeAll();
      return Promise.resolve();
    },
  };
}
