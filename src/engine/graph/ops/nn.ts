/**
 * Softmax, RMS norm (ONNX: SimplifiedLayerNormalization, RMSNormalization being absent below opset 23) and rotary
 * position embedding with halves, as rotate_half of transformers (arXiv:2104.09864; com.microsoft RotaryEmbedding).
 */
import { dimAt, invalid, sameDims } from "../dims.ts";
import type { Value } from "../ir.ts";
import { emitOne, requireDtype } from "../op.ts";
import type { Binary, Builders, OpDef, RefTensor, Unary } from "../op.ts";
import { foldRef, read, tabulate, zipRef } from "../reference.ts";
import { exp, log, stopGradient, sub } from "./elementwise.ts";
import { reduceMax, reduceSum } from "./reduce.ts";

type None = Readonly<Record<string, never>>;

export const softmaxOp: OpDef<None, Unary> = {
  name: "softmax",
  infer: (inputs) => {
    requireDtype("softmax", inputs, "float32");
    const [x] = inputs;
    if (x.dims.length === 0) invalid("softmax", inputs, "at least one axis");
    return [{ dtype: "float32", dims: x.dims, axes: x.axes }];
  },
  vjp: ({ y, g, build }) => {
    const gy = build.mul(g, y);
    return [build.sub(gy, build.mul(y, build.reduceSum(gy, [-1], true)))];
  },
  evaluate: ([x]) => {
    const last = [x.dims.length - 1];
    const max = foldRef(x, last, { start: -Infinity, step: Math.max });
    const e = zipRef(x, max, (value, top) => Math.exp(value - top));
    const total = foldRef(e, last, { start: 0, step: (acc, value) => acc + value });
    return [zipRef(e, total, (value, sum) => value / sum)];
  },
  lower: ({ from, to, onnx }) => {
    onnx.node("Softmax", from, to, { attrs: { axis: { int: -1 } } });
  },
};

interface NormAttrs {
  readonly eps: number;
}

/** 1 / sqrt(mean(x^2) + eps) over the last axis, kept. */
function inverseRms(x: Value, eps: number, build: Builders): Value {
  return build.reciprocal(build.sqrt(build.add(build.reduceMean(build.square(x), [-1], true), eps)));
}

export const rmsNormOp: OpDef<NormAttrs, Binary> = {
  name: "rmsNorm",
  infer: (inputs) => {
    requireDtype("rmsNorm", inputs, "float32");
    const [x, weight] = inputs;
    if (x.dims.length === 0 || !sameDims(weight.dims, [dimAt(x, -1)]))
      invalid("rmsNorm", inputs, "x [..., D] and weight [D]");
    return [{ dtype: "float32", dims: x.dims, axes: x.axes }];
  },
  // With r = 1/rms and h = g * weight: dx = r h - x r^3 mean(h x), dweight = sum(g x r).
  vjp: ({ inputs: [x, weight], attrs: { eps }, g, needs, build }) => {
    const r = inverseRms(x, eps, build);
    const dx = (): Value => {
      const h = build.mul(g, weight);
      const mean = build.reduceMean(build.mul(h, x), [-1], true);
      const pull = build.mul(mean, build.mul(r, build.square(r)));
      return build.sub(build.mul(h, r), build.mul(x, pull));
    };
    return [
      needs[0] ? dx() : null,
      needs[1] ? build.sumTo(build.mul(g, build.mul(x, r)), weight.dims) : null,
    ];
  },
  evaluate: ([x, weight], { attrs: { eps } }) => {
    const width = x.dims.at(-1) ?? 1;
    const squares = foldRef(x, [x.dims.length - 1], { start: 0, step: (acc, value) => acc + value * value });
    const scaled = zipRef(x, squares, (value, sum) => value / Math.sqrt(sum / width + eps));
    return [zipRef(scaled, weight, (value, w) => value * w)];
  },
  lower: ({ from, to, attrs, onnx }) => {
    onnx.node("SimplifiedLayerNormalization", from, to, {
      attrs: { axis: { int: -1 }, epsilon: { float: attrs.eps }, stash_type: { int: 1 } },
    });
  },
};

type RotaryInputs = readonly [x: Value, positions: Value, cos: Value, sin: Value];

export const rotaryOp: OpDef<None, RotaryInputs> = {
  name: "rotary",
  infer: (inputs) => {
    const [x, positions, cos, sin] = inputs;
    requireDtype("rotary", [x, cos, sin], "float32");
    requireDtype("rotary", [positions], "int32", "int64");
    const rank = x.dims.length;
    const wanted = rank === 4 ? [dimAt(x, 0), dimAt(x, 2)] : [dimAt(x, 0), dimAt(x, 1)];
    const half = dimAt(cos, -1);
    const width = dimAt(x, -1);
    const whole = typeof half === "number" && typeof width === "number" && width % (2 * half) === 0;
    if (
      !whole ||
      (rank !== 3 && rank !== 4) ||
      (rank === 4 && width !== 2 * half) ||
      !sameDims(positions.dims, wanted)
    ) {
      invalid("rotary", inputs, "x [B, T, H*Dh] or [B, H, T, Dh], positions [B, T], cos and sin [max, Dh/2]");
    }
    if (cos.dims.length !== 2 || !sameDims(cos.dims, sin.dims))
      invalid("rotary", inputs, "cos and sin of one shape [max, Dh/2]");
    return [{ dtype: "float32", dims: x.dims, axes: x.axes }];
  },
  // A rotation's transpose is the rotation back.
  vjp: ({ inputs: [, positions, cos, sin], g, build }) => [
    build.rotary(g, positions, cos, build.neg(sin)),
    null,
    null,
    null,
  ],
  evaluate: ([x, positions, cos, sin]) => [rotaryRef(x, positions, { cos, sin })],
  lower: ({ inputs: [, positions], from: [x, places, cos, sin], to, onnx }) => {
    let wide = places;
    if (positions.dtype === "int32") {
      wide = onnx.fresh();
      onnx.node("Cast", [places], [wide], { attrs: { to: { int: 7 } } });
    }
    onnx.node("RotaryEmbedding", [x, wide, cos, sin], to, { domain: "com.microsoft" });
  },
};

/** Element d of a head of size Dh turns with its partner half a head away, by the angle of its position. */
function rotaryRef(
  x: RefTensor,
  positions: RefTensor,
  tables: { cos: RefTensor; sin: RefTensor },
): RefTensor {
  const half = tables.cos.dims[1] ?? 1;
  return tabulate(x.dims, (index) => {
    const last = index.at(-1) ?? 0;
    const inHead = last % (2 * half);
    const token = index.length === 4 ? index[2] : index[1];
    const angle = [read(positions, [index[0] ?? 0, token ?? 0]), inHead % half];
    const sign = inHead < half ? -1 : 1;
    const partner = read(x, [...index.slice(0, -1), last - sign * half]);
    return read(x, index) * read(tables.cos, angle) + sign * partner * read(tables.sin, angle);
  });
}

/** Over the last axis. */
export function softmax(x: Value): Value {
  return emitOne(softmaxOp, [x], {});
}
/** Over the last axis, in primitive ops: LogSoftmax has no WebGPU kernel. */
export function logSoftmax(x: Value): Value {
  const last = [x.dims.length - 1];
  const shifted = sub(x, stopGradient(reduceMax(x, last, true)));
  return sub(shifted, log(reduceSum(exp(shifted), last, true)));
}
/** x / sqrt(mean(x^2) + eps) * weight over the last axis. */
export function rmsNorm(x: Value, weight: Value, eps: number): Value {
  return emitOne(rmsNormOp, [x, weight], { eps });
}
/**
 * Rotates x [B, T, H*Dh] or [B, H, T, Dh] by positions [B, T], int32 or int64. cos and sin [max, Dh/2] get no
 * gradient; the kernel wants max >= T, so put rows in B where they are many.
 */
export function rotary(x: Value, positions: Value, cos: Value, sin: Value): Value {
  return emitOne(rotaryOp, [x, positions, cos, sin], {});
}
