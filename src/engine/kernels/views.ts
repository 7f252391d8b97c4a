/** Nodes that compute nothing: their output is their input's memory under another shape, or a stretch of it. */
import type { Node } from "../graph/ir.ts";
import { stridesOf } from "./strides.ts";

const AS_IT_IS = new Set<Node["op"]>(["reshape", "stopGradient"]);
/** Types that the kernels keep as 32-bit whole numbers. */
const WHOLE = new Set(["int32", "int64", "bool"]);

/** The output's place in the input's memory in bytes, or null where the node has work to do. */
export function viewOf(node: Node, from: readonly number[], to: readonly number[]): number | null {
  if (AS_IT_IS.has(node.op)) return 0;
  if (node.op === "transpose") return keepsOrder(node, from) ? 0 : null;
  if (node.op === "cast") return sameKind(node) ? 0 : null;
  if (node.op === "expand" || node.op === "tile") return size(from) === size(to) ? 0 : null;
  return node.op === "slice" ? sliceOffset(node, from) : null;
}

const size = (dims: readonly number[]): number => dims.reduce((n, dim) => n * dim, 1);

/** Only axes of size 1 move. */
function keepsOrder(node: Node, from: readonly number[]): boolean {
  const { perm } = node.attrs as { readonly perm: readonly number[] };
  const moved = perm.filter((axis) => from[axis] !== 1);
  return moved.every((axis, i) => i === 0 || axis > (moved[i - 1] ?? 0));
}

function sameKind(node: Node): boolean {
  const [from, to] = [node.inputs[0]?.dtype ?? "", node.outputs[0]?.dtype ?? ""];
  if (from === to) return true;
  return WHOLE.has(from) && (to === "int32" || to === "int64");
}

/** A stretch of whole rows: nothing but ones in front of the axis. */
function sliceOffset(node: Node, from: readonly number[]): number | null {
  const { axis, start, step } = node.attrs as { axis: number; start: number; step: number };
  if (step !== 1 || from.slice(0, axis).some((dim) => dim !== 1)) return null;
  const first = start < 0 ? Math.max(0, start + (from[axis] ?? 0)) : start;
  return first * (stridesOf(from)[axis] ?? 0);
}
