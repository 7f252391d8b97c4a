/** What kernel calls each operator becomes. An operator without an entry runs its reference implementation, number by number. */
import type { OpName } from "../graph/ir.ts";
import { attentionLowering } from "./lowerings/attention.ts";
import { blockLinearLowering, dequantizeBlocksLowering } from "./lowerings/blocks.ts";
import { reference } from "./lowerings/reference.ts";
import {
  castLowering,
  binaryLowering,
  clipLowering,
  unaryLowering,
  whereLowering,
} from "./lowerings/elementwise.ts";
import * as moves from "./lowerings/moves.ts";
import { gemmLowering, matMulLowering } from "./lowerings/products.ts";
import * as rows from "./lowerings/rows.ts";
import type { Lowering, NodeContext, Step } from "./node-context.ts";

const LOWERINGS: Partial<Record<OpName, Lowering>> = {
  gemm: gemmLowering,
  matMul: matMulLowering,
  blockLinear: blockLinearLowering,
  dequantizeBlocks: dequantizeBlocksLowering,
  neg: unaryLowering("neg"),
  exp: unaryLowering("exp"),
  log: unaryLowering("log"),
  sqrt: unaryLowering("sqrt"),
  reciprocal: unaryLowering("reciprocal"),
  abs: unaryLowering("abs"),
  square: unaryLowering("square"),
  sigmoid: unaryLowering("sigmoid"),
  silu: unaryLowering("silu"),
  not: unaryLowering("not"),
  add: binaryLowering("add", "addInt"),
  sub: binaryLowering("sub"),
  mul: binaryLowering("mul"),
  div: binaryLowering("div"),
  maximum: binaryLowering("maximum"),
  minimum: binaryLowering("minimum"),
  equal: binaryLowering("equal", "equalInt"),
  less: binaryLowering("less"),
  lessOrEqual: binaryLowering("lessOrEqual"),
  greater: binaryLowering("less", null, true),
  greaterOrEqual: binaryLowering("lessOrEqual", null, true),
  and: binaryLowering("and", "and"),
  or: binaryLowering("or", "or"),
  clip: clipLowering,
  where: whereLowering,
  cast: castLowering,
  transpose: moves.transposeLowering,
  slice: moves.sliceLowering,
  concat: moves.concatLowering,
  expand: moves.expandLowering,
  pad: moves.padLowering,
  gather: moves.gatherLowering,
  gatherRows: moves.gatherLowering,
  gatherElements: moves.gatherElementsLowering,
  reduceSum: rows.sumLowering,
  reduceMean: rows.sumLowering,
  reduceMax: rows.maxLowering,
  cumSum: rows.cumSumLowering,
  softmax: rows.softmaxLowering,
  rmsNorm: rows.rmsNormLowering,
  rotary: rows.rotaryLowering,
  groupQueryAttention: attentionLowering,
};

export function lowerNode(context: NodeContext): Step {
  return LOWERINGS[context.node.op]?.(context) ?? reference(context);
}
