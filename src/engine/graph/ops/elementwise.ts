/** Arithmetic element by element, with NumPy broadcasting. A number as an operand becomes a scalar of the other's type. */
import { broadcastDims, invalid, sameDims } from "../dims.ts";
import type { OpName, Value, ValueSpec } from "../ir.ts";
import { emitOne, operands, requireDtype } from "../op.ts";
import type { Binary, Builders, Operand, OpDef, Unary } from "../op.ts";
import { mapRef, zipRef } from "../reference.ts";

type None = Readonly<Record<string, never>>;
const NONE: None = {};

/** The spec of an element-by-element result, which keeps the axes' names of the input that has its shape. */
export function broadcastSpec(op: OpName, inputs: readonly Value[]): Omit<ValueSpec, "dtype"> {
  let dims = inputs[0]?.dims ?? [];
  for (const value of inputs) {
    const joined = broadcastDims(dims, value.dims);
    if (joined === undefined) invalid(op, inputs, "shapes that broadcast");
    dims = joined;
  }
  const named = inputs.find((value) => value.axes !== undefined && sameDims(value.dims, dims));
  return { dims, axes: named?.axes };
}

interface UnaryRule {
  readonly onnx: string;
  readonly f: (x: number) => number;
  readonly vjp: (g: Value, x: Value, y: Value, build: Builders) => Value | null;
}

function unary(name: OpName, rule: UnaryRule): OpDef<None, Unary> {
  return {
    name,
    infer: (inputs) => {
      if (name !== "stopGradient")
        requireDtype(
          name,
          inputs,
          "float32",
          ...(name === "neg" || name === "abs" ? (["int32"] as const) : []),
        );
      const [{ dtype, dims, axes }] = inputs;
      return [{ dtype, dims, axes }];
    },
    vjp: ({ inputs: [x], y, g, build }) => [rule.vjp(g, x, y, build)],
    evaluate: ([x]) => [mapRef(x, rule.f)],
    lower: ({ from, to, onnx }) => {
      onnx.node(rule.onnx, from, to);
    },
  };
}

interface BinaryRule {
  readonly onnx: string;
  readonly f: (a: number, b: number) => number;
  readonly da: (g: Value, inputs: Binary, y: Value, build: Builders) => Value;
  readonly db: (g: Value, inputs: Binary, y: Value, build: Builders) => Value;
}

function inferBinary(name: OpName, inputs: Binary): [ValueSpec] {
  const [a, b] = inputs;
  if (a.dtype !== b.dtype || a.dtype === "bool") invalid(name, inputs, "two number tensors of one type");
  return [{ dtype: a.dtype, ...broadcastSpec(name, inputs) }];
}

function binary(name: OpName, rule: BinaryRule): OpDef<None, Binary> {
  return {
    name,
    infer: (inputs) => inferBinary(name, inputs),
    vjp: ({ inputs, y, g, needs, build }) => [
      needs[0] ? build.sumTo(rule.da(g, inputs, y, build), inputs[0].dims) : null,
      needs[1] ? build.sumTo(rule.db(g, inputs, y, build), inputs[1].dims) : null,
    ],
    evaluate: ([a, b]) => [zipRef(a, b, rule.f)],
    lower: ({ from, to, onnx }) => {
      onnx.node(rule.onnx, from, to);
    },
  };
}

/** Where two operands tie, each gets half of the cotangent, as in PyTorch. */
function extremum(name: OpName, comparison: "Greater" | "Less", f: BinaryRule["f"]): OpDef<None, Binary> {
  const share = (g: Value, [a, b]: Binary, build: Builders): Value => {
    const wins = comparison === "Greater" ? build.greater(a, b) : build.less(a, b);
    const loses = comparison === "Greater" ? build.less(a, b) : build.greater(a, b);
    const lead = build.sub(build.cast(wins, "float32"), build.cast(loses, "float32"));
    return build.mul(g, build.add(build.mul(lead, 0.5), 0.5));
  };
  const rule = binary(name, {
    onnx: "",
    f,
    da: (g, inputs, _, build) => share(g, inputs, build),
    db: (g, [a, b], _, build) => share(g, [b, a], build),
  });
  return {
    ...rule,
    // Where, because Max and Min are not among the WebGPU kernels we rely on.
    lower: ({ from: [a, b], out, onnx }) => {
      const wins = onnx.fresh();
      onnx.node(comparison, [a, b], [wins]);
      onnx.node("Where", [wins, a, b], [out]);
    },
  };
}

export const addOp = binary("add", { onnx: "Add", f: (a, b) => a + b, da: (g) => g, db: (g) => g });
export const subOp = binary("sub", {
  onnx: "Sub",
  f: (a, b) => a - b,
  da: (g) => g,
  db: (g, _, __, build) => build.neg(g),
});
export const mulOp = binary("mul", {
  onnx: "Mul",
  f: (a, b) => a * b,
  da: (g, [, b], _, build) => build.mul(g, b),
  db: (g, [a], _, build) => build.mul(g, a),
});
export const divOp: OpDef<None, Binary> = {
  ...binary("div", {
    onnx: "Div",
    f: (a, b) => a / b,
    da: (g, [, b], _, build) => build.div(g, b),
    db: (g, [, b], y, build) => build.neg(build.div(build.mul(g, y), b)),
  }),
  infer: (inputs) => {
    requireDtype("div", inputs, "float32");
    return inferBinary("div", inputs);
  },
};
export const maximumOp = extremum("maximum", "Greater", Math.max);
export const minimumOp = extremum("minimum", "Less", Math.min);

export const negOp = unary("neg", { onnx: "Neg", f: (x) => -x, vjp: (g, _, __, build) => build.neg(g) });
export const expOp = unary("exp", { onnx: "Exp", f: Math.exp, vjp: (g, _, y, build) => build.mul(g, y) });
export const logOp = unary("log", { onnx: "Log", f: Math.log, vjp: (g, x, _, build) => build.div(g, x) });
export const sqrtOp = unary("sqrt", {
  onnx: "Sqrt",
  f: Math.sqrt,
  vjp: (g, _, y, build) => build.div(build.mul(g, 0.5), y),
});
export const reciprocalOp = unary("reciprocal", {
  onnx: "Reciprocal",
  f: (x) => 1 / x,
  vjp: (g, _, y, build) => build.neg(build.mul(g, build.square(y))),
});
export const absOp = unary("abs", {
  onnx: "Abs",
  f: Math.abs,
  vjp: (g, x, _, build) => {
    const positive = build.cast(build.greater(x, 0), "float32");
    return build.mul(g, build.sub(positive, build.cast(build.less(x, 0), "float32")));
  },
});
export const sigmoidOp = unary("sigmoid", {
  onnx: "Sigmoid",
  f: (x) => 1 / (1 + Math.exp(-x)),
  vjp: (g, _, y, build) => build.mul(g, build.mul(y, build.sub(1, y))),
});
export const squareOp: OpDef<None, Unary> = {
  ...unary("square", {
    onnx: "Mul",
    f: (x) => x * x,
    vjp: (g, x, _, build) => build.mul(build.mul(g, x), 2),
  }),
  lower: ({ from: [x], to, onnx }) => {
    onnx.node("Mul", [x, x], to);
  },
};
export const siluOp: OpDef<None, Unary> = {
  ...unary("silu", {
    onnx: "QuickGelu",
    f: (x) => x / (1 + Math.exp(-x)),
    // d(x s) = s + y (1 - s), where s = sigmoid(x) and y = x s
    vjp: (g, x, y, build) => {
      const s = build.sigmoid(x);
      return build.mul(g, build.add(s, build.mul(y, build.sub(1, s))));
    },
  }),
  lower: ({ from, to, onnx }) => {
    onnx.node("QuickGelu", from, to, { attrs: { alpha: { float: 1 } }, domain: "com.microsoft" });
  },
};
export const stopGradientOp = unary("stopGradient", { onnx: "Identity", f: (x) => x, vjp: () => null });

interface PowAttrs {
  readonly exponent: number;
}
export const powOp: OpDef<PowAttrs, Unary> = {
  name: "pow",
  infer: (inputs) => {
    requireDtype("pow", inputs, "float32");
    const [{ dtype, dims, axes }] = inputs;
    return [{ dtype, dims, axes }];
  },
  vjp: ({ inputs: [x], attrs: { exponent }, g, build }) => [
    build.mul(g, build.mul(build.pow(x, exponent - 1), exponent)),
  ],
  evaluate: ([x], { attrs: { exponent } }) => [mapRef(x, (value) => Math.pow(value, exponent))],
  lower: ({ from: [x], to, attrs, onnx }) => {
    onnx.node("Pow", [x, onnx.scalar("float32", attrs.exponent)], to);
  },
};

interface ClipAttrs {
  readonly min: number;
  readonly max: number;
}
export const clipOp: OpDef<ClipAttrs, Unary> = {
  name: "clip",
  infer: (inputs, { min, max }) => {
    requireDtype("clip", inputs, "float32");
    if (!(min <= max)) invalid("clip", inputs, `min <= max, not ${min} and ${max}`);
    const [{ dtype, dims, axes }] = inputs;
    return [{ dtype, dims, axes }];
  },
  // The cotangent passes where min <= x <= max, bounds included, as in PyTorch.
  vjp: ({ inputs: [x], attrs: { min, max }, g, build }) => [
    build.where(build.less(x, min), 0, build.where(build.greater(x, max), 0, g)),
  ],
  evaluate: ([x], { attrs: { min, max } }) => [mapRef(x, (value) => Math.min(max, Math.max(min, value)))],
  lower: ({ from: [x], to, attrs, onnx }) => {
    onnx.node("Clip", [x, onnx.scalar("float32", attrs.min), onnx.scalar("float32", attrs.max)], to);
  },
};

export function add(a: Operand, b: Operand): Value {
  if (b === 0) return operands("add", a, b)[0];
  return emitOne(addOp, operands("add", a, b), NONE);
}
export function sub(a: Operand, b: Operand): Value {
  return emitOne(subOp, operands("sub", a, b), NONE);
}
export function mul(a: Operand, b: Operand): Value {
  if (b === 1) return operands("mul", a, b)[0];
  return emitOne(mulOp, operands("mul", a, b), NONE);
}
/** Floats only. */
export function div(a: Operand, b: Operand): Value {
  return emitOne(divOp, operands("div", a, b), NONE);
}
export function maximum(a: Operand, b: Operand): Value {
  return emitOne(maximumOp, operands("maximum", a, b), NONE);
}
export function minimum(a: Operand, b: Operand): Value {
  return emitOne(minimumOp, operands("minimum", a, b), NONE);
}
export function neg(x: Value): Value {
  return emitOne(negOp, [x], NONE);
}
export function exp(x: Value): Value {
  return emitOne(expOp, [x], NONE);
}
export function log(x: Value): Value {
  return emitOne(logOp, [x], NONE);
}
export function sqrt(x: Value): Value {
  return emitOne(sqrtOp, [x], NONE);
}
export function reciprocal(x: Value): Value {
  return emitOne(reciprocalOp, [x], NONE);
}
export function abs(x: Value): Value {
  return emitOne(absOp, [x], NONE);
}
export function square(x: Value): Value {
  return emitOne(squareOp, [x], NONE);
}
export function sigmoid(x: Value): Value {
  return emitOne(sigmoidOp, [x], NONE);
}
/** x * sigmoid(x). */
export function silu(x: Value): Value {
  return emitOne(siluOp, [x], NONE);
}
export function pow(x: Value, exponent: number): Value {
  return emitOne(powOp, [x], { exponent });
}
export function clip(x: Value, min: number, max: number): Value {
  return emitOne(clipOp, [x], { min, max });
}
/** The value itself, which gradients do not pass. */
export function stopGradient(x: Value): Value {
  return emitOne(stopGradientOp, [x], NONE);
}
