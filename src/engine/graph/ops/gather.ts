/** Reading and adding by index. Indices are int32 or int64 and never negative. */
import { axisOf, dimAt, invalid, sameDims, staticDims } from "../dims.ts";
import type { Dim, Value } from "../ir.ts";
import { emitOne, requireDtype } from "../op.ts";
import type { Binary, Builders, OpDef, RefTensor, Ternary } from "../op.ts";
import { offset, read, tabulate } from "../reference.ts";

interface AxisAttrs {
  readonly axis: number;
}

function replaceAt(index: readonly number[], axis: number, place: number): number[] {
  return index.map((at, i) => (i === axis ? place : at));
}

export const gatherOp: OpDef<AxisAttrs, Binary> = {
  name: "gather",
  infer: ([x, indices], { axis }) => {
    requireDtype("gather", [indices], "int32", "int64");
    axisOf("gather", x, axis);
    return [{ dtype: x.dtype, dims: [...x.dims.slice(0, axis), ...indices.dims, ...x.dims.slice(axis + 1)] }];
  },
  vjp: ({ inputs: [x, indices], attrs: { axis }, g, build }) => {
    const dims = staticDims("gather", x);
    const rows = [...indices.dims.keys()].map((i) => axis + i);
    const rest = [...g.dims.keys()].filter((i) => i < axis || i >= axis + rows.length);
    // Axis first, scatter, axis back; at axis 0 both transpositions are none.
    const front = [dims[axis] ?? 1, ...dims.filter((_, i) => i !== axis)];
    const places = build.reshape(indices, [...indices.dims, 1]);
    const sum = build.scatterNDAdd(
      build.zeros(g.graph, front),
      places,
      build.transpose(g, [...rows, ...rest]),
    );
    const back = [...dims.keys()].map((i) => (i === axis ? 0 : i < axis ? i + 1 : i));
    return [build.transpose(sum, back), null];
  },
  evaluate: ([x, indices], { attrs: { axis } }) => {
    const span = indices.dims.length;
    const dims = [...x.dims.slice(0, axis), ...indices.dims, ...x.dims.slice(axis + 1)];
    return [
      tabulate(dims, (index) => {
        const row = read(indices, index.slice(axis, axis + span));
        return read(x, [...index.slice(0, axis), row, ...index.slice(axis + span)]);
      }),
    ];
  },
  lower: ({ from, to, attrs, onnx }) => {
    onnx.node("Gather", from, to, { attrs: { axis: { int: attrs.axis } } });
  },
};

/** Shapes of x and indices agree but on the axis, where indices may be any length. */
function checkElements(op: string, inputs: readonly [Value, Value, ...Value[]], axis: number): void {
  const [x, indices] = inputs;
  requireDtype(op, [indices], "int32", "int64");
  const outside = (dims: readonly Dim[]): Dim[] => dims.filter((_, i) => i !== axis);
  if (x.dims.length !== indices.dims.length || !sameDims(outside(x.dims), outside(indices.dims))) {
    invalid(op, inputs, `indices of the tensor's shape but for axis ${axis}`);
  }
}

/** One index a row: the scatter is a comparison with 0, 1, 2 ..., which needs no atomic additions. */
function oneHotSpread(
  x: Value,
  { indices, axis, g, build }: { indices: Value; axis: number; g: Value; build: Builders },
): Value {
  const size = Number(dimAt(x, axis));
  const shape = x.dims.map((_, i) => (i === axis ? size : 1));
  const places = x.graph.constant(
    "int32",
    shape,
    Array.from({ length: size }, (_, i) => i),
  );
  return build.where(build.equal(places, build.cast(indices, "int32")), g, 0);
}

export const gatherElementsOp: OpDef<AxisAttrs, Binary> = {
  name: "gatherElements",
  infer: (inputs, { axis }) => {
    checkElements("gatherElements", inputs, axis);
    return [{ dtype: inputs[0].dtype, dims: inputs[1].dims, axes: inputs[0].axes }];
  },
  vjp: ({ inputs: [x, indices], attrs: { axis }, g, build }) => {
    if (dimAt(indices, axis) === 1) return [oneHotSpread(x, { indices, axis, g, build }), null];
    const zeros = build.zeros(g.graph, staticDims("gatherElements", x));
    return [build.scatterElementsAdd(zeros, indices, g, axis), null];
  },
  evaluate: ([x, indices], { attrs: { axis } }) => [
    tabulate(indices.dims, (index) => read(x, replaceAt(index, axis, read(indices, index)))),
  ],
  lower: ({ from, to, attrs, onnx }) => {
    onnx.node("GatherElements", from, to, { attrs: { axis: { int: attrs.axis } } });
  },
};

export const scatterElementsAddOp: OpDef<AxisAttrs, Ternary> = {
  name: "scatterElementsAdd",
  infer: (inputs, { axis }) => {
    const [x, indices, updates] = inputs;
    checkElements("scatterElementsAdd", inputs, axis);
    if (x.dtype !== updates.dtype || !sameDims(indices.dims, updates.dims)) {
      invalid("scatterElementsAdd", inputs, "updates of the indices' shape and the tensor's type");
    }
    return [{ dtype: x.dtype, dims: x.dims, axes: x.axes }];
  },
  vjp: ({ inputs: [, indices], attrs: { axis }, g, needs, build }) => [
    g,
    null,
    needs[2] ? build.gatherElements(g, indices, axis) : null,
  ],
  evaluate: ([x, indices, updates], { attrs: { axis } }) => {
    const out: RefTensor = { dims: x.dims, data: x.data.slice() };
    tabulate(indices.dims, (index) => {
      const place = offset(out.dims, replaceAt(index, axis, read(indices, index)));
      return (out.data[place] = (out.data[place] ?? NaN) + read(updates, index));
    });
    return [out];
  },
  lower: ({ from, to, attrs, onnx }) => {
    onnx.node("ScatterElements", from, to, {
      attrs: { axis: { int: attrs.axis }, reduction: { string: "add" } },
    });
  },
};

export const scatterNDAddOp: OpDef<Readonly<Record<string, never>>, Ternary> = {
  name: "scatterNDAdd",
  infer: (inputs) => {
    const [x, indices, updates] = inputs;
    requireDtype("scatterNDAdd", [indices], "int32", "int64");
    const wanted = [...indices.dims.slice(0, -1), ...x.dims.slice(1)];
    if (dimAt(indices, -1) !== 1 || x.dtype !== updates.dtype || !sameDims(wanted, updates.dims)) {
      invalid("scatterNDAdd", inputs, "x [N, ...], indices [..., 1] and updates of the indexed rows' shape");
    }
    return [{ dtype: x.dtype, dims: x.dims, axes: x.axes }];
  },
  vjp: ({ inputs: [, indices], g, needs, build }) => [
    g,
    null,
    needs[2] ? build.gather(g, build.reshape(indices, indices.dims.slice(0, -1)), 0) : null,
  ],
  evaluate: ([x, indices, updates]) => {
    const out: RefTensor = { dims: x.dims, data: x.data.slice() };
    const width = indices.dims.length - 1;
    tabulate(updates.dims, (index) => {
      const row = read(indices, [...index.slice(0, width), 0]);
      const place = offset(out.dims, [row, ...index.slice(width)]);
      return (out.data[place] = (out.data[place] ?? NaN) + read(updates, index));
    });
    return [out];
  },
  lower: ({ inputs: [, indices], from: [x, places, updates], to, onnx }) => {
    let wide = places;
    if (indices.dtype === "int32") {
      wide = onnx.fresh();
      onnx.node("Cast", [places], [wide], { attrs: { to: { int: 7 } } });
    }
    onnx.node("ScatterND", [x, wide, updates], to, { attrs: { reduction: { string: "add" } } });
  },
};

/** Rows of x along an axis: [..., indices' shape, ...]. */
export function gather(x: Value, indices: Value, axis = 0): Value {
  return emitOne(gatherOp, [x, indices], { axis: axisOf("gather", x, axis) });
}
/** One element of x for each index; shapes agree but on the axis. */
export function gatherElements(x: Value, indices: Value, axis: number): Value {
  return emitOne(gatherElementsOp, [x, indices], { axis: axisOf("gatherElements", x, axis) });
}
/** x plus each update at its index along the axis; repeated indices add up. */
export function scatterElementsAdd(x: Value, indices: Value, updates: Value, axis: number): Value {
  return emitOne(scatterElementsAddOp, [x, indices, updates], {
    axis: axisOf("scatterElementsAdd", x, axis),
  });
}
/** x [N, ...] plus rows of updates [I, ...] at indices [I, 1]; repeated indices add up. */
export function scatterNDAdd(x: Value, indices: Value, updates: Value): Value {
  return emitOne(scatterNDAddOp, [x, indices, updates], {});
}
