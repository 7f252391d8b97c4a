/**
 * What a slip of the pen makes of one call in a gradient rule: a sign, a term or factor left out, another axis,
 * operands or branches exchanged. Calls for which no slip is listed (zeros, cast, expand) carry no choice of their own.
 */
import type { Value } from "../../engine/graph/ir.ts";
import type { Builders, Operand } from "../../engine/graph/op.ts";

export type SlipKind = "sign" | "missing" | "axis" | "factor" | "exchange" | "attribute";

export interface Slip {
  readonly kind: SlipKind;
  /** What the slip does, in words. */
  readonly what: string;
  readonly make: () => Value;
}

export type BuilderName = keyof Builders;
/** The slips of one call; `build` is the true builders. */
type SlipsOf<N extends BuilderName> = (build: Builders, ...args: Parameters<Builders[N]>) => readonly Slip[];

const slip = (kind: SlipKind, what: string, make: () => Value): Slip => ({ kind, what, make });

/** Each operand that is a tensor, without the other. */
function alone(kind: SlipKind, a: Operand, b: Operand): Slip[] {
  return [
    ...(typeof a === "number" ? [] : [slip(kind, "the first operand alone", () => a)]),
    ...(typeof b === "number" ? [] : [slip(kind, "the second operand alone", () => b)]),
  ];
}

const left = (x: Value): Slip[] => [slip("missing", "left out", () => x)];

/** The next axis of x, none where it has one only. */
function otherAxis(x: Value, axis: number, make: (axis: number) => Value): Slip[] {
  const rank = x.dims.length;
  return rank < 2 ? [] : [slip("axis", "the next axis", () => make((axis + rank + 1) % rank))];
}

function otherAxes(
  x: Value,
  axes: readonly number[],
  make: (axes: readonly number[]) => Value,
): readonly Slip[] {
  const rank = x.dims.length;
  if (rank < 2 || axes.length === rank) return [];
  return [slip("axis", "the next axes", () => make(axes.map((axis) => (axis + rank + 1) % rank)))];
}

/** A list with its first two entries exchanged; none where that changes nothing. */
function swapped<T>(list: readonly T[], make: (list: readonly T[]) => Value): Slip[] {
  const [a, b, ...rest] = list;
  return a === undefined || b === undefined || a === b
    ? []
    : [slip("axis", "the first two axes exchanged", () => make([b, a, ...rest]))];
}

const ARITHMETIC = {
  add: (_, a, b) => alone("missing", a, b),
  sub: (build, a, b) => [
    slip("sign", "plus for minus", () => build.add(a, b)),
    ...(typeof a === "number" ? [] : [slip("missing", "the first term alone", () => a)]),
    ...(typeof b === "number" ? [] : [slip("missing", "the second term alone", () => build.neg(b))]),
  ],
  mul: (_, a, b) => alone("missing", a, b),
  div: (build, a, b) => [
    ...alone("missing", a, b),
    slip("factor", "times for divided by", () => build.mul(a, b)),
  ],
  neg: (_, x) => [slip("sign", "left out", () => x)],
  square: (_, x) => left(x),
  sqrt: (_, x) => left(x),
  reciprocal: (_, x) => left(x),
  sigmoid: (_, x) => left(x),
  pow: (_, x) => left(x),
} satisfies { [N in BuilderName]?: SlipsOf<N> };

const CHOICES = {
  equal: (build, a, b) => [slip("exchange", "less for equal", () => build.less(a, b))],
  less: (build, a, b) => [slip("exchange", "greater for less", () => build.greater(a, b))],
  greater: (build, a, b) => [slip("exchange", "less for greater", () => build.less(a, b))],
  where: (build, condition, a, b) => [
    slip("exchange", "branches exchanged", () => build.where(condition, b, a)),
  ],
} satisfies { [N in BuilderName]?: SlipsOf<N> };

const SUMS = {
  reduceSum: (build, x, axes, keep) => otherAxes(x, axes, (others) => build.reduceSum(x, others, keep)),
  reduceMean: (build, x, axes, keep) => [
    slip("factor", "a sum for a mean", () => build.reduceSum(x, axes, keep)),
    ...otherAxes(x, axes, (others) => build.reduceMean(x, others, keep)),
  ],
  sumTo: (build, x, dims) => (build.sumTo(x, dims) === x ? [] : left(x)),
  cumSum: (build, x, axis, { exclusive = false, reverse = false } = {}) => [
    slip("exchange", "the other direction", () => build.cumSum(x, axis, { exclusive, reverse: !reverse })),
    slip("missing", "exclusive for inclusive", () =>
      build.cumSum(x, axis, { exclusive: !exclusive, reverse }),
    ),
    ...otherAxis(x, axis, (other) => build.cumSum(x, other, { exclusive, reverse })),
  ],
} satisfies { [N in BuilderName]?: SlipsOf<N> };

const MOVES = {
  reshape: (build, x, dims) => swapped(dims, (others) => build.reshape(x, others)),
  transpose: (build, x, perm) => swapped(perm, (others) => build.transpose(x, others)),
  slice: (build, x, axis, ...[start, end, step]) => [
    ...otherAxis(x, axis, (other) => build.slice(x, other, start, end, step)),
    ...(start === 0 ? [] : [slip("exchange", "from 0", () => build.slice(x, axis, 0, end - start, step))]),
  ],
  pad: (build, x, axis, ...[before, after]) => [
    ...otherAxis(x, axis, (other) => build.pad(x, other, before, after)),
    ...(before === after
      ? []
      : [slip("exchange", "ends exchanged", () => build.pad(x, axis, after, before))]),
  ],
  gather: (build, x, indices, axis) => otherAxis(x, axis, (other) => build.gather(x, indices, other)),
  gatherElements: (build, x, indices, axis) =>
    otherAxis(x, axis, (other) => build.gatherElements(x, indices, other)),
  scatterElementsAdd: (build, x, indices, ...[updates, axis]) => [
    ...left(x),
    ...otherAxis(x, axis, (other) => build.scatterElementsAdd(x, indices, updates, other)),
  ],
  scatterNDAdd: (_, x) => left(x),
} satisfies { [N in BuilderName]?: SlipsOf<N> };

const PRODUCTS = {
  matMul: (build, a, b) => [slip("exchange", "operands exchanged", () => build.matMul(b, a))],
  linear: (build, x, w) => [slip("axis", "the weight as [in, out]", () => build.matMul(x, w))],
  gemm: (build, a, b, { transA = false, transB = false } = {}) => [
    slip("exchange", "operands exchanged", () => build.gemm(b, a, { transA, transB })),
    slip("axis", "transA the other way", () => build.gemm(a, b, { transA: !transA, transB })),
    slip("axis", "transB the other way", () => build.gemm(a, b, { transA, transB: !transB })),
  ],
  rotary: (build, x, positions, ...[cos, sin]) => [
    slip("exchange", "cos and sin exchanged", () => build.rotary(x, positions, sin, cos)),
  ],
} satisfies { [N in BuilderName]?: SlipsOf<N> };

const SLIPS: { readonly [N in BuilderName]?: SlipsOf<N> } = {
  ...ARITHMETIC,
  ...CHOICES,
  ...SUMS,
  ...MOVES,
  ...PRODUCTS,
};

/** Every slip of one call of a builder. */
export function slipsOf(build: Builders, name: BuilderName, args: readonly unknown[]): readonly Slip[] {
  const slips = SLIPS[name] as
    ((build: Builders, ...args: readonly unknown[]) => readonly Slip[]) | undefined;
  return slips?.(build, ...args) ?? [];
}
