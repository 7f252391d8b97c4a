/** Which device tensors are alive, how big they are and what stands behind each: the single owner's book. */
import { invariant } from "../../base/assert.ts";
import type { DType } from "../graph/tensor.ts";
import type { DeviceTensor } from "./engine.ts";
import { byteSize } from "./ort.ts";

export interface TensorLedger<Backing> {
  add(shape: { readonly dtype: DType; readonly dims: readonly number[] }, backing: Backing): DeviceTensor;
  /** @throws PlaygroundError `internal` for a tensor that was released or is another engine's. */
  get(tensor: DeviceTensor): Backing;
  replace(tensor: DeviceTensor, backing: Backing): void;
  /** The backing, for its destruction; the tensor is dead afterwards. */
  remove(tensor: DeviceTensor): Backing;
  removeAll(): Backing[];
  live(): { readonly count: number; readonly bytes: number };
}

export function createTensorLedger<Backing>(): TensorLedger<Backing> {
  const entries = new Map<DeviceTensor, Backing>();
  let bytes = 0;
  const get = (tensor: DeviceTensor): Backing => {
    const backing = entries.get(tensor);
    invariant(backing !== undefined, "device tensor", "a live tensor of this engine");
    return backing;
  };
  return {
    add({ dtype, dims }, backing) {
      const tensor: DeviceTensor = { dtype, dims: [...dims], device: true };
      entries.set(tensor, backing);
      bytes += byteSize(tensor);
      return tensor;
    },
    get,
    replace(tensor, backing) {
      get(tensor);
      entries.set(tensor, backing);
    },
    remove(tensor) {
      const backing = get(tensor);
      entries.delete(tensor);
      bytes -= byteSize(tensor);
      return backing;
    },
    removeAll() {
      const all = [...entries.values()];
      entries.clear();
      bytes = 0;
      return all;
    },
    live: () => ({ count: entries.size, bytes }),
  };
}
