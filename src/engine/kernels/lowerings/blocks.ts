/** Matrices in blocks: the product with one, eight of its rows at a time in a room of each thread, and its numbers. */
import { BLOCK_SIZE, blocksInRow } from "../../graph/block-tensor.ts";
import type { BlockAttrs } from "../../graph/ops/blocks.ts";
import { blockSize } from "../heap.ts";
import { packedBytes } from "../module.ts";
import type { NodeContext, Step } from "../node-context.ts";
import { address, input, output } from "./node-parts.ts";

export function blockLinearLowering(context: NodeContext): Step {
  const { bits, columns: K } = context.node.attrs as BlockAttrs;
  const [M = 0, N = 0] = context.dims(output(context));
  const [x, data, scales] = [0, 1, 2].map((i) => context.place(input(context, i)));
  const to = context.place(output(context));
  const roomBytes = blockSize(packedBytes(blocksInRow(K) * BLOCK_SIZE, 8));
  const room = context.temp(roomBytes * context.threads);
  const { blockGemm } = context.kernels;
  return (slots) => {
    const at = [x, data, scales, to, room].map((place) => (place ? address(slots, place) : 0));
    blockGemm(M, N, K, bits, ...at, roomBytes);
  };
}

export function dequantizeBlocksLowering(context: NodeContext): Step {
  const { bits, columns: K } = context.node.attrs as BlockAttrs;
  const [rows = 0] = context.dims(output(context));
  const places = [0, 1].map((i) => context.place(input(context, i)));
  const to = context.place(output(context));
  const { unpackBlocks } = context.kernels;
  return (slots) => {
    unpackBlocks(rows, K, bits, ...places.map((place) => address(slots, place)), address(slots, to));
  };
}
