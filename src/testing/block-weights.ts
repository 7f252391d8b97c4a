/** A model's weights in blocks, and the plain weights that those stand for. */
import { float32, type HostTensor } from "../engine/graph/tensor.ts";
import {
  type BlockBits,
  dequantizeBlocks,
  isBlockTensor,
  quantizeBlocks,
  type WeightTensor,
} from "../engine/graph/block-tensor.ts";

export function inBlocks(
  weights: ReadonlyMap<string, HostTensor>,
  bits: BlockBits | null,
): Map<string, WeightTensor> {
  const stored = (weight: HostTensor): WeightTensor => {
    const [N = 0, K = 0] = weight.dims;
    if (bits === null || weight.dims.length !== 2) return weight;
    return quantizeBlocks(weight.data as Float32Array, [N, K], bits);
  };
  return new Map([...weights].map(([name, weight]) => [name, stored(weight)]));
}

/** What blocks stand for, in float32. */
export function outOfBlocks(weights: ReadonlyMap<string, WeightTensor>): Map<string, HostTensor> {
  const plain = (weight: WeightTensor): HostTensor =>
    isBlockTensor(weight) ? float32(weight.dims, dequantizeBlocks(weight)) : weight;
  return new Map([...weights].map(([name, weight]) => [name, plain(weight)]));
}
