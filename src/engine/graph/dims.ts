/** Arithmetic on shapes whose sizes may be names. Names combine as sums: "Tp" + 1 is "Tp+1". */
import { PlaygroundError } from "../../base/errors.ts";
import type { Dim, Value } from "./ir.ts";

/** A shape as a message shows it: `[B=2, T=Tp, 64]`. */
export function showDims(dims: readonly Dim[], axes?: readonly string[]): string {
  return `[${dims.map((dim, i) => (axes?.[i] === undefined ? `${dim}` : `${axes[i]}=${dim}`)).join(", ")}]`;
}

/** Throws `graph-invalid` with the operator and the types and shapes of its inputs. */
export function invalid(op: string, inputs: readonly Value[], expected: string): never {
  const show = (v: Value): string =>
    `${v.name === undefined ? "" : `${v.name} `}${v.dtype} ${showDims(v.dims, v.axes)}`;
  throw new PlaygroundError({
    code: "graph-invalid",
    where: `${op}${inputs[0] === undefined ? "" : ` in graph ${inputs[0].graph.name}`}`,
    expected,
    got: inputs.length === 0 ? "no tensor" : inputs.map(show).join(" and "),
    next: "Correct the graph's builder.",
  });
}

/** The sum of two sizes; a name if either is one. */
export function addDims(a: Dim, b: Dim): Dim {
  if (typeof a === "number" && typeof b === "number") return a + b;
  const names: string[] = [];
  let number = 0;
  for (const term of `${a}+${b}`.match(/[+-]?[^+-]+/g) ?? []) {
    const amount = Number(term);
    if (Number.isNaN(amount)) names.push(term.replace(/^\+/, ""));
    else number += amount;
  }
  const tail = number === 0 ? "" : number > 0 ? `+${number}` : `${number}`;
  return names.join("+") + tail;
}

/** True when no size is a name. */
export function isStatic(dims: readonly Dim[]): dims is readonly number[] {
  return dims.every((dim) => typeof dim === "number");
}

/** The sizes as numbers; `graph-invalid` where one is a name. */
export function staticDims(op: string, value: Value): readonly number[] {
  if (!isStatic(value.dims))
    invalid(op, [value], "sizes that are numbers (names are for forward-only graphs)");
  return value.dims;
}

/** An axis counted from the front; `graph-invalid` outside the rank. */
export function axisOf(op: string, value: Value, axis: number): number {
  const rank = value.dims.length;
  const front = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(front) || front < 0 || front >= rank)
    invalid(op, [value], `an axis within rank ${rank}, not ${axis}`);
  return front;
}

/** The size of one axis, counted from the back where negative. */
export function dimAt(value: { readonly dims: readonly Dim[] }, axis: number): Dim {
  return value.dims.at(axis) ?? 1;
}

/** NumPy broadcasting; undefined where the shapes do not fit. */
export function broadcastDims(a: readonly Dim[], b: readonly Dim[]): Dim[] | undefined {
  const rank = Math.max(a.length, b.length);
  const out: Dim[] = [];
  for (let i = 0; i < rank; i++) {
    const left = a[i - rank + a.length] ?? 1;
    const right = b[i - rank + b.length] ?? 1;
    if (left === 1) out.push(right);
    else if (right === 1 || left === right) out.push(left);
    else return undefined;
  }
  return out;
}

export function sameDims(a: readonly Dim[], b: readonly Dim[]): boolean {
  return a.length === b.length && a.every((dim, i) => dim === b[i]);
}
