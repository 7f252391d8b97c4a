/** Every operator by name; the compiler checks that none is missing. */
import type { OpName } from "../ir.ts";
import type { OpDef } from "../op.ts";
import { groupQueryAttentionOp } from "./attention.ts";
import { blockLinearOp, dequantizeBlocksOp } from "./blocks.ts";
import { loopOp } from "./control.ts";
import * as elementwise from "./elementwise.ts";
import { gatherElementsOp, gatherOp, scatterElementsAddOp, scatterNDAddOp } from "./gather.ts";
import { gatherRowsOp } from "./gather-rows.ts";
import { gemmOp, matMulOp } from "./linear.ts";
import * as logic from "./logic.ts";
import { rmsNormOp, rotaryOp, softmaxOp } from "./nn.ts";
import { cumSumOp, reduceMaxOp, reduceMeanOp, reduceSumOp } from "./reduce.ts";
import { topKOp } from "./search.ts";
import { concatOp, expandOp, padOp, reshapeOp, sliceOp, tileOp, transposeOp } from "./shape.ts";

export const OPS = {
  add: elementwise.addOp,
  sub: elementwise.subOp,
  mul: elementwise.mulOp,
  div: elementwise.divOp,
  neg: elementwise.negOp,
  exp: elementwise.expOp,
  log: elementwise.logOp,
  sqrt: elementwise.sqrtOp,
  reciprocal: elementwise.reciprocalOp,
  abs: elementwise.absOp,
  square: elementwise.squareOp,
  sigmoid: elementwise.sigmoidOp,
  silu: elementwise.siluOp,
  pow: elementwise.powOp,
  maximum: elementwise.maximumOp,
  minimum: elementwise.minimumOp,
  clip: elementwise.clipOp,
  stopGradient: elementwise.stopGradientOp,
  equal: logic.equalOp,
  less: logic.lessOp,
  greater: logic.greaterOp,
  lessOrEqual: logic.lessOrEqualOp,
  greaterOrEqual: logic.greaterOrEqualOp,
  and: logic.andOp,
  or: logic.orOp,
  not: logic.notOp,
  where: logic.whereOp,
  cast: logic.castOp,
  reduceSum: reduceSumOp,
  reduceMean: reduceMeanOp,
  reduceMax: reduceMaxOp,
  cumSum: cumSumOp,
  reshape: reshapeOp,
  transpose: transposeOp,
  slice: sliceOp,
  concat: concatOp,
  expand: expandOp,
  tile: tileOp,
  pad: padOp,
  gather: gatherOp,
  gatherElements: gatherElementsOp,
  gatherRows: gatherRowsOp,
  scatterElementsAdd: scatterElementsAddOp,
  scatterNDAdd: scatterNDAddOp,
  matMul: matMulOp,
  gemm: gemmOp,
  blockLinear: blockLinearOp,
  dequantizeBlocks: dequantizeBlocksOp,
  softmax: softmaxOp,
  rmsNorm: rmsNormOp,
  rotary: rotaryOp,
  groupQueryAttention: groupQueryAttentionOp,
  topK: topKOp,
  loop: loopOp,
} satisfies Record<OpName, OpDef>;

/** An operator's definition by name. */
export function opOf(name: OpName): OpDef {
  return OPS[name];
}
