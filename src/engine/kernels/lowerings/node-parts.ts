/** Small things that every lowering needs. */
import { defined } from "../../../base/assert.ts";
import type { Value } from "../../graph/ir.ts";
import { sizeOf } from "../../graph/tensor.ts";
import type { NodeContext, Place, Slots } from "../node-context.ts";

export function input({ node }: NodeContext, i: number): Value {
  return defined(node.inputs[i], `${node.op}, input ${i}`);
}

export function output({ node }: NodeContext, i = 0): Value {
  return defined(node.outputs[i], `${node.op}, output ${i}`);
}

/** Elements of a value. */
export function count(context: NodeContext, value: Value): number {
  return sizeOf(context.dims(value));
}

/** The address of a place in this run. */
export function address(slots: Slots, { slot, offset }: Place): number {
  return (slots[slot] ?? 0) + offset;
}
