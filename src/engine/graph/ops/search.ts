/** The largest elements of the last axis. ArgMax is missing on purpose: it has no WebGPU kernel. */
import { dimAt, invalid } from "../dims.ts";
import type { Value } from "../ir.ts";
import { emit, requireDtype } from "../op.ts";
import type { OpDef, Unary } from "../op.ts";
import { tabulate } from "../reference.ts";
import { sub } from "./elementwise.ts";
import { cast, equal, where } from "./logic.ts";
import { reduceMax } from "./reduce.ts";
import { defined } from "../../../base/assert.ts";

interface TopKAttrs {
  readonly k: number;
}

export const topKOp: OpDef<TopKAttrs, Unary> = {
  name: "topK",
  infer: (inputs, { k }) => {
    requireDtype("topK", inputs, "float32");
    const [x] = inputs;
    const size = dimAt(x, -1);
    if (x.dims.length === 0 || !Number.isInteger(k) || k < 1 || (typeof size === "number" && k > size)) {
      invalid("topK", inputs, `a last axis of at least k = ${k}, k at least 1`);
    }
    const dims = [...x.dims.slice(0, -1), k];
    return [
      { dtype: "float32", dims },
      { dtype: "int64", dims },
    ];
  },
  evaluate: ([x], { attrs: { k } }) => {
    const size = x.dims.at(-1) ?? 0;
    const rows = Array.from({ length: size === 0 ? 0 : x.data.length / size }, (_, row) => {
      const values = x.data.subarray(row * size, (row + 1) * size);
      const order = [...values.keys()].sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
      return { values, order };
    });
    const dims = [...x.dims.slice(0, -1), k];
    let at = 0;
    const indices = tabulate(dims, () => {
      const place = at++;
      return rows[Math.floor(place / k)]?.order[place % k] ?? NaN;
    });
    const values = {
      dims,
      data: indices.data.map((index, i) => rows[Math.floor(i / k)]?.values[index] ?? NaN),
    };
    return [values, indices];
  },
  lower: ({ from: [x], to, attrs, onnx }) => {
    onnx.node("TopK", [x, onnx.ints([attrs.k])], to, {
      attrs: { axis: { int: -1 }, largest: { int: 1 }, sorted: { int: 1 } },
    });
  },
};

/** The k largest of the last axis, falling, and their int64 indices (the lower one first where values tie). */
export function topK(x: Value, k: number): { readonly values: Value; readonly indices: Value } {
  const [values, indices] = emit(topKOp, [x], { k });
  return { values: defined(values, "topK"), indices: defined(indices, "topK") };
}

/** The first index of the last axis' maximum: int32, the last axis dropped. In primitive ops; exact up to 2^24. */
export function argMaxLast(x: Value): Value {
  const size = dimAt(x, -1);
  if (typeof size !== "number" || size > 2 ** 24)
    return invalid("argMaxLast", [x], "a last axis of known size, at most 2^24");
  const last = x.dims.length - 1;
  const fromEnd = x.graph.constant(
    "float32",
    [size],
    Float32Array.from({ length: size }, (_, i) => size - 1 - i),
  );
  const isMax = equal(x, reduceMax(x, [last], true));
  return cast(sub(size - 1, reduceMax(where(isMax, fromEnd, -1), [last])), "int32");
}
