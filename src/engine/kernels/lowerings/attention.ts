/** Cached attention: the new keys and values go behind the past ones, in place where past and present are one tensor. */
import { blockSize } from "../heap.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { stridesOf } from "../strides.ts";
import { address, input, output } from "./node-parts.ts";

interface Sizes {
  readonly B: number;
  readonly T: number;
  readonly H: number;
  readonly Hkv: number;
  readonly Dh: number;
  /** Length of the presents. */
  readonly C: number;
  /** Length of the pasts; 0 where there is none. */
  readonly past: number;
}

export const attentionLowering: Lowering = (context) => {
  const {
    heads: H,
    kvHeads: Hkv,
    scale,
  } = context.node.attrs as { heads: number; kvHeads: number; scale: number };
  const [B = 1, T = 1, width = 1] = context.dims(input(context, 0));
  const C = context.dims(output(context, 1))[2] ?? 0;
  const pastKey = context.node.inputs[5];
  const past = pastKey === undefined ? 0 : (context.dims(pastKey)[2] ?? 0);
  const sizes = { B, T, H, Hkv, Dh: width / H, C, past };
  if (sizes.Dh % 4 !== 0) return null;
  const places = context.node.inputs.map((value) => context.place(value));
  const outs = context.node.outputs.map((value) => context.place(value));
  const start = context.temp(4 * B);
  const scoreBytes = blockSize(4 * C);
  const scores = context.temp(scoreBytes * context.threads);
  const { ints, kernels } = context;
  return (slots) => {
    const at = places.map((place) => address(slots, place));
    const [query = 0, key = 0, value = 0, seqLensK = 0, total = 0, oldKey = 0, oldValue = 0] = at;
    const [out = 0, newKey = 0, newValue = 0] = outs.map((place) => address(slots, place));
    const first = firstNew(ints(seqLensK, B), ints(total, 1)[0] ?? 0, sizes);
    ints(address(slots, start), B).set(first);
    store(context, sizes, { first, fresh: key, past: oldKey, present: newKey });
    store(context, sizes, { first, fresh: value, past: oldValue, present: newValue });
    const lengths = [B, T, H, Hkv, sizes.Dh, C] as const;
    kernels.attend(
      ...lengths,
      scale,
      query,
      newKey,
      newValue,
      address(slots, start),
      address(slots, scores),
      scoreBytes,
      out,
    );
  };
};

/** Tokens before each sequence's first new row. */
function firstNew(seqLensK: Int32Array, total: number, { B, T, C }: Sizes): number[] {
  const first = Array.from({ length: B }, (_, b) => (T === total ? 0 : (seqLensK[b] ?? 0) + 1 - T));
  if (first.some((at) => at < 0 || at + T > C))
    throw new Error(`attention: ${T} rows at ${first.join()} of ${C}`);
  return first;
}

interface Store {
  readonly first: readonly number[];
  readonly fresh: number;
  readonly past: number;
  readonly present: number;
}

/** Puts rows [B, T, Hkv*Dh] at their places of a cache [B, Hkv, C, Dh]. */
function store({ kernels }: NodeContext, sizes: Sizes, { first, fresh, past, present }: Store): void {
  const { B, T, Hkv, Dh, C } = sizes;
  const row = 4 * Dh;
  if (sizes.past > 0 && past !== present) {
    const kept = Math.min(sizes.past, C) * Dh;
    kernels.copy4(1, 1, B * Hkv, kept, past, 0, 0, sizes.past * row, 4, present, 0, 0, C * row, 4);
  }
  const [batch = 0, time = 0] = stridesOf([B, T, Hkv * Dh]);
  const copy = (from: number, to: number, rows: number): void => {
    kernels.copy4(rows, T, Hkv, Dh, from, batch, time, row, 4, to, Hkv * C * row, row, C * row, 4);
  };
  const [place = 0] = first;
  if (first.every((at) => at === place)) copy(fresh, present + place * row, B);
  else {
    first.forEach((at, b) => {
      copy(fresh + b * batch, present + (b * Hkv * C + at) * row, 1);
    });
  }
}
