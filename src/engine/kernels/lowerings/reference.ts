/** An operator by its float64 reference implementation: for what has no kernel, or not for this case. */
import { opOf } from "../../graph/ops/registry.ts";
import type { RefTensor } from "../../graph/op.ts";
import type { NodeContext, Step } from "../node-context.ts";
import { address, count } from "./node-parts.ts";

export function reference(context: NodeContext): Step {
  const { node, floats, ints, dims } = context;
  const inputs = node.inputs.map((value) => ({
    place: context.place(value),
    dims: dims(value),
    length: count(context, value),
    view: value.dtype === "float32" ? floats : ints,
  }));
  const outputs = node.outputs.map((value) => ({
    place: context.place(value),
    view: value.dtype === "float32" ? floats : ints,
  }));
  const runBody = (): never => {
    throw new Error("the WASM kernels run no loops");
  };
  return (slots) => {
    const read = inputs.map(({ place, dims: shape, length, view }): RefTensor => ({
      dims: shape,
      data: Float64Array.from(view(address(slots, place), length)),
    }));
    const results = opOf(node.op).evaluate(read, {
      attrs: node.attrs,
      inputs: node.inputs,
      outputs: node.outputs,
      runBody,
    });
    outputs.forEach(({ place, view }, i) => {
      const data = results[i]?.data ?? new Float64Array(0);
      view(address(slots, place), data.length).set(data);
    });
  };
}
