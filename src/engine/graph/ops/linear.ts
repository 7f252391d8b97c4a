/**
 * Matrix products. `linear` takes weights as Hugging Face stores them, [out, in], and becomes one Gemm with transB: no
 * transposed copy of a weight on any provider, and packed ahead of time where the weight is an initializer.
 */
import { broadcastDims, dimAt, invalid, isStatic, staticDims } from "../dims.ts";
import type { Dim, Value } from "../ir.ts";
import { emitOne, requireDtype } from "../op.ts";
import type { Binary, Builders, OpDef, RefTensor } from "../op.ts";
import { broadcastRef, read, tabulate } from "../reference.ts";
import { reshape, transpose } from "./shape.ts";

type None = Readonly<Record<string, never>>;

/** Exchanges the last two axes. */
function transposeLast(x: Value, build: Pick<Builders, "transpose">): Value {
  const perm = [...x.dims.keys()];
  const rank = perm.length;
  return build.transpose(x, [...perm.slice(0, -2), rank - 1, rank - 2]);
}

/** All axes but the last as one. */
function asRows(x: Value, build: Pick<Builders, "reshape">): Value {
  const dims = staticDims("matMul", x);
  return build.reshape(x, [dims.slice(0, -1).reduce((n, dim) => n * dim, 1), dims.at(-1) ?? 1]);
}

export const matMulOp: OpDef<None, Binary> = {
  name: "matMul",
  infer: (inputs) => {
    const [a, b] = inputs;
    requireDtype("matMul", inputs, "float32");
    const batch = broadcastDims(a.dims.slice(0, -2), b.dims.slice(0, -2));
    if (a.dims.length < 2 || b.dims.length < 2 || dimAt(a, -1) !== dimAt(b, -2) || batch === undefined) {
      invalid("matMul", inputs, "[..., M, K] and [..., K, N]");
    }
    return [{ dtype: "float32", dims: [...batch, dimAt(a, -2), dimAt(b, -1)] }];
  },
  vjp: ({ inputs: [a, b], g, needs, build }) => {
    if (b.dims.length === 2) {
      return [
        needs[0] ? build.linear(g, b) : null,
        needs[1] ? build.gemm(asRows(a, build), asRows(g, build), { transA: true }) : null,
      ];
    }
    return [
      needs[0] ? build.sumTo(build.matMul(g, transposeLast(b, build)), a.dims) : null,
      needs[1] ? build.sumTo(build.matMul(transposeLast(a, build), g), b.dims) : null,
    ];
  },
  evaluate: ([a, b]) => [matMulRef(a, b)],
  lower: ({ from, to, onnx }) => {
    onnx.node("MatMul", from, to);
  },
};

function matMulRef(a: RefTensor, b: RefTensor): RefTensor {
  const batch = broadcastRef(a.dims.slice(0, -2), b.dims.slice(0, -2));
  const inner = a.dims.at(-1) ?? 0;
  return tabulate([...batch, a.dims.at(-2) ?? 0, b.dims.at(-1) ?? 0], (index) => {
    const left = [...index];
    const right = [...index];
    let sum = 0;
    for (let k = 0; k < inner; k++) {
      left[left.length - 1] = k;
      right[right.length - 2] = k;
      sum += read(a, left) * read(b, right);
    }
    return sum;
  });
}

interface GemmAttrs {
  readonly transA: boolean;
  readonly transB: boolean;
}

const flip = (dims: readonly Dim[], on: boolean): readonly Dim[] => (on ? [...dims].reverse() : dims);

export const gemmOp: OpDef<GemmAttrs, Binary> = {
  name: "gemm",
  infer: (inputs, { transA, transB }) => {
    requireDtype("gemm", inputs, "float32");
    const [m, k] = flip(inputs[0].dims, transA);
    const [inner, n] = flip(inputs[1].dims, transB);
    if (inputs.some(({ dims }) => dims.length !== 2) || k !== inner || m === undefined || n === undefined) {
      invalid("gemm", inputs, `two matrices that chain (transA ${transA}, transB ${transB})`);
    }
    return [{ dtype: "float32", dims: [m, n] }];
  },
  vjp: ({ inputs: [a, b], attrs: { transA, transB }, g, needs, build }) => {
    const da = (): Value =>
      transA
        ? build.gemm(b, g, { transA: transB, transB: true })
        : build.gemm(g, b, { transA: false, transB: !transB });
    const db = (): Value =>
      transB ? build.gemm(g, a, { transA: true, transB: transA }) : build.gemm(a, g, { transA: !transA });
    return [needs[0] ? da() : null, needs[1] ? db() : null];
  },
  evaluate: ([a, b], { attrs: { transA, transB } }) => {
    const turn = (x: RefTensor, on: boolean): RefTensor =>
      on ? tabulate([...x.dims].reverse(), ([i = 0, j = 0]) => read(x, [j, i])) : x;
    return [matMulRef(turn(a, transA), turn(b, transB))];
  },
  lower: ({ from, to, attrs, onnx }) => {
    const flags = { transA: { int: Number(attrs.transA) }, transB: { int: Number(attrs.transB) } };
    onnx.node("Gemm", from, to, { attrs: flags });
  },
};

/** a [..., M, K] @ b [..., K, N], leading axes broadcast. */
export function matMul(a: Value, b: Value): Value {
  return emitOne(matMulOp, [a, b], {});
}
/** The product of two matrices, each transposed first where asked. */
export function gemm(
  a: Value,
  b: Value,
  options: { readonly transA?: boolean; readonly transB?: boolean } = {},
): Value {
  return emitOne(gemmOp, [a, b], { transA: options.transA ?? false, transB: options.transB ?? false });
}
/** x [..., in] @ w^T for w [out, in]. */
export function linear(x: Value, w: Value): Value {
  if (w.dims.length !== 2 || dimAt(x, -1) !== dimAt(w, 1))
    invalid("linear", [x, w], "x [..., in] and w [out, in]");
  if (x.dims.length === 2) return gemm(x, w, { transB: true });
  const lead = x.dims.slice(0, -1);
  const named = lead.filter((dim) => typeof dim === "string");
  // Two names in front would not survive the way to rows and back.
  if (named.length > 1) return matMul(x, transpose(w, [1, 0]));
  const [only] = named;
  const size = lead.reduce<number>((n, dim) => (typeof dim === "number" ? n * dim : n), 1);
  const rows: Dim = only === undefined || isStatic(lead) ? size : size === 1 ? only : `${size}*${only}`;
  return reshape(gemm(reshape(x, [rows, dimAt(x, -1)]), w, { transB: true }), [...lead, dimAt(w, 0)]);
}
