/**
 * A base matrix [N, K] inside a graph: plain, or in blocks (engine/graph/block-tensor.ts), whose bytes and scales are two
 * weights of the graph under the matrix's name. Frozen: gradients pass through the product to x, never into blocks.
 */
import { blockLinear, dequantizeBlocks } from "../graph/ops/blocks.ts";
import { gather } from "../graph/ops/gather.ts";
import { linear } from "../graph/ops/linear.ts";
import type { Value } from "../graph/ir.ts";
import type { DType, HostTensor } from "../graph/tensor.ts";
import {
  type BlockBits,
  blockBytes,
  blocksInRow,
  type BlockTensor,
  isBlockTensor,
  type WeightTensor,
} from "../graph/block-tensor.ts";
import type { WeightSpec } from "./model-config.ts";

interface BlockMatrix {
  readonly bits: BlockBits;
  readonly dims: readonly [N: number, K: number];
  /** uint8 [N, ceil(K/32), 32*bits/8]. */
  readonly data: Value;
  /** [N, ceil(K/32)]. */
  readonly scales: Value;
}

export type BaseMatrix = Value | BlockMatrix;

const isBlocks = (w: BaseMatrix): w is BlockMatrix => "scales" in w;

/** A weight as one or two tensors of a graph. */
export interface WeightPart {
  readonly name: string;
  readonly dtype: DType;
  readonly dims: readonly number[];
}

/** What a weight is in a graph where matrices are plain (null) or in blocks of so many bits. */
export function weightParts({ name, shape }: WeightSpec, bits: BlockBits | null): readonly WeightPart[] {
  const [N = 0, K = 0, ...rest] = shape;
  if (bits === null || shape.length < 2 || rest.length > 0) return [{ name, dtype: "float32", dims: shape }];
  const rows = [N, blocksInRow(K)];
  return [
    { name: `${name}.blocks`, dtype: "uint8", dims: [...rows, blockBytes(bits)] },
    { name: `${name}.scales`, dtype: "float32", dims: rows },
  ];
}

/** Declares a matrix's parts with `declare`. */
export function declareMatrix(
  declare: (part: WeightPart) => Value,
  spec: WeightSpec,
  bits: BlockBits | null,
): BaseMatrix {
  const [data, scales] = weightParts(spec, bits).map(declare) as [Value, Value?];
  const [N = 0, K = 0] = spec.shape;
  return bits === null || scales === undefined ? data : { bits, dims: [N, K], data, scales };
}

/** x [M, K] @ w^T -> [M, N]. */
export function matrixProduct(x: Value, w: BaseMatrix): Value {
  if (!isBlocks(w)) return linear(x, w);
  return blockLinear(x, w.data, w.scales, { bits: w.bits, columns: w.dims[1] });
}

/** Rows of w: ids int32 [M] -> [M, K]. */
export function matrixRows(w: BaseMatrix, ids: Value): Value {
  if (!isBlocks(w)) return gather(w, ids, 0);
  const { data, scales, bits, dims } = w;
  return dequantizeBlocks(gather(data, ids, 0), gather(scales, ids, 0), { bits, columns: dims[1] });
}

/** w itself as float32 [N, K]. */
export function matrixValues(w: BaseMatrix): Value {
  return isBlocks(w) ? dequantizeBlocks(w.data, w.scales, { bits: w.bits, columns: w.dims[1] }) : w;
}

/** A name that `declareMatrix` or `declareTable` gave: rows of a table, one part of blocks, or both. */
const PART_NAME = /^(.*?)(?:\[(\d+):(\d+)\])?(?:\.(blocks|scales))?$/;

type Weights = ReadonlyMap<string, WeightTensor>;

const made = new WeakMap<Weights, Map<string, HostTensor | undefined>>();

/**
 * What a graph's weight of this name is on the host: a view of the model's tensor, no copy, and the same object each time, so
 * that an engine that knows a tensor by its object holds it once. Its data is looked up at each reading, as the model's may be.
 */
export function weightByName(weights: Weights, name: string): HostTensor | undefined {
  const known = made.get(weights) ?? new Map<string, HostTensor | undefined>();
  made.set(weights, known);
  if (!known.has(name)) known.set(name, viewOf(weights, name));
  return known.get(name);
}

function viewOf(weights: Weights, name: string): HostTensor | undefined {
  const [, base = name, start = "0", end, part] = PART_NAME.exec(name) ?? [];
  const whole = weights.get(base);
  if (whole === undefined || isBlockTensor(whole) !== (part !== undefined)) return undefined;
  const tensor = isBlockTensor(whole) ? partOf(whole, part) : whole;
  return end === undefined ? tensor : rowsOf(tensor, Number(start), Number(end));
}

function partOf(whole: BlockTensor, part: string | undefined): HostTensor {
  const [N, K] = whole.dims;
  const rows = [N, blocksInRow(K)];
  if (part === "scales")
    return {
      dtype: "float32",
      dims: rows,
      get data() {
        return whole.scales;
      },
    };
  return {
    dtype: "uint8",
    dims: [...rows, blockBytes(whole.bits)],
    get data() {
      return whole.data;
    },
  };
}

function rowsOf(whole: HostTensor, start: number, end: number): HostTensor {
  const { dtype, dims } = whole;
  const [, ...rest] = dims;
  const width = rest.reduce((product, dim) => product * dim, 1);
  return {
    dtype,
    dims: [end - start, ...rest],
    get data() {
      return whole.data.subarray(start * width, end * width);
    },
  };
}

/** Bits of a model's blocks: one number for all its matrices; null = plain. */
export function blockBitsOf(weights: ReadonlyMap<string, WeightTensor>): BlockBits | null {
  for (const weight of weights.values()) if (isBlockTensor(weight)) return weight.bits;
  return null;
}
