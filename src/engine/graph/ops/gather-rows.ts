/**
 * Rows moved to other places and back: like `gather` on axis 0, but the caller also says where each row of x went, so
 * that the gradient is a gather too. A scatter would add atomically on a GPU, in an order that does not repeat.
 */
import { dimAt, invalid, sameDims } from "../dims.ts";
import type { Value } from "../ir.ts";
import { emitOne, requireDtype } from "../op.ts";
import type { OpDef, Ternary } from "../op.ts";
import { read, tabulate } from "../reference.ts";

type None = Readonly<Record<string, never>>;

export const gatherRowsOp: OpDef<None, Ternary> = {
  name: "gatherRows",
  infer: (inputs) => {
    const [x, places, back] = inputs;
    requireDtype("gatherRows", [places, back], "int32");
    if (places.dims.length !== 1 || back.dims.length !== 1 || !sameDims(back.dims, [dimAt(x, 0)])) {
      invalid("gatherRows", inputs, "x [N, ...], places [M] and back [N]");
    }
    return [{ dtype: x.dtype, dims: [dimAt(places, 0), ...x.dims.slice(1)] }];
  },
  vjp: ({ inputs: [, places, back], g }) => [gatherRows(g, back, places), null, null],
  evaluate: ([x, places]) => [
    tabulate([places.data.length, ...x.dims.slice(1)], ([row = 0, ...rest]) =>
      read(x, [read(places, [row]), ...rest]),
    ),
  ],
  lower: ({ from: [x, places], to, onnx }) => {
    onnx.node("Gather", [x, places], to, { attrs: { axis: { int: 0 } } });
  },
};

/**
 * y[m] = x[places[m]], for x [N, ...], places int32 [M] and back int32 [N] with places[back[n]] = n for every row n that
 * is used. Places that are read twice or rows that go nowhere are the caller's padding: their cotangents must be 0.
 */
export function gatherRows(x: Value, places: Value, back: Value): Value {
  return emitOne(gatherRowsOp, [x, places, back], {});
}
