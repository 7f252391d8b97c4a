/**
 * Cached attention with grouped heads, causal, forward only: com.microsoft GroupQueryAttention. Training uses products
 * and softmax instead. Departures from the kernel: none of its extra features (windows, soft caps, smooth softmax).
 */
import { defined } from "../../../base/assert.ts";
import { addDims, dimAt, invalid } from "../dims.ts";
import type { Dim, Value } from "../ir.ts";
import { emit, requireDtype } from "../op.ts";
import type { EvaluateContext, OpDef, RefTensor } from "../op.ts";
import { read, tabulate } from "../reference.ts";

interface AttentionAttrs {
  readonly heads: number;
  readonly kvHeads: number;
  readonly scale: number;
  /** T of the presents. */
  readonly presentLength: Dim;
}

/** query, key, value, seqLensK, totalSequenceLength, then past key and value where they exist. */
type Inputs = readonly [
  query: Value,
  key: Value,
  value: Value,
  seqLensK: Value,
  total: Value,
  ...past: Value[],
];

function checkShapes(inputs: Inputs, attrs: AttentionAttrs): number {
  const [query, key, value, seqLensK, total, ...pasts] = inputs;
  requireDtype("groupQueryAttention", [query, key, value, ...pasts], "float32");
  requireDtype("groupQueryAttention", [seqLensK, total], "int32");
  const { heads, kvHeads } = attrs;
  const width = dimAt(query, -1);
  const Dh = typeof width === "number" ? width / heads : NaN;
  const fits = (x: Value, columns: number): boolean =>
    x.dims.length === 3 &&
    x.dims[0] === query.dims[0] &&
    x.dims[1] === query.dims[1] &&
    x.dims[2] === columns;
  if (
    !Number.isInteger(Dh / 8) ||
    heads % kvHeads !== 0 ||
    !fits(query, heads * Dh) ||
    ![key, value].every((x) => fits(x, kvHeads * Dh))
  ) {
    invalid(
      "groupQueryAttention",
      inputs,
      `query [B, T, ${heads}*Dh], key and value [B, T, ${kvHeads}*Dh], Dh a multiple of 8`,
    );
  }
  for (const past of pasts) {
    if (
      past.dims.length !== 4 ||
      past.dims[0] !== query.dims[0] ||
      past.dims[1] !== kvHeads ||
      past.dims[3] !== Dh
    ) {
      invalid("groupQueryAttention", [past], `a past of [B, ${kvHeads}, T, ${Dh}]`);
    }
  }
  return Dh;
}

export const groupQueryAttentionOp: OpDef<AttentionAttrs, Inputs> = {
  name: "groupQueryAttention",
  infer: (inputs, attrs) => {
    const Dh = checkShapes(inputs, attrs);
    const [query] = inputs;
    const present = [dimAt(query, 0), attrs.kvHeads, attrs.presentLength, Dh];
    return [
      { dtype: "float32", dims: query.dims },
      { dtype: "float32", dims: present },
      { dtype: "float32", dims: present },
    ];
  },
  evaluate: (inputs, context) => attend(inputs, context),
  lower: ({ from, to, attrs, onnx }) => {
    const [query, key, value, seqLensK, total, pastKey = "", pastValue = ""] = from;
    onnx.node("GroupQueryAttention", [query, key, value, pastKey, pastValue, seqLensK, total], to, {
      attrs: {
        num_heads: { int: attrs.heads },
        kv_num_heads: { int: attrs.kvHeads },
        scale: { float: attrs.scale },
      },
      domain: "com.microsoft",
    });
  },
};

type Refs = readonly [RefTensor, RefTensor, RefTensor, RefTensor, RefTensor, ...RefTensor[]];

/**
 * New rows go behind each sequence's own past (its total length less the new rows; 0 where all rows are new) and see
 * themselves and what precedes them. Cache places that hold nothing are NaN: kernels leave there what they like.
 */
function attend(inputs: Refs, { attrs }: EvaluateContext<AttentionAttrs, Inputs>): RefTensor[] {
  const [query, key, value, seqLensK, total, pastKey, pastValue] = inputs;
  const [B = 0, T = 0] = query.dims;
  const { heads, kvHeads, scale } = attrs;
  const Dh = (query.dims[2] ?? 0) / heads;
  const longest = total.data[0] ?? 0;
  const before = Array.from({ length: B }, (_, b) => (T === longest ? 0 : (seqLensK.data[b] ?? 0) + 1 - T));
  const length = Math.max(longest, pastKey?.dims[2] ?? 0);
  const present = (fresh: RefTensor, past: RefTensor | undefined): RefTensor =>
    tabulate([B, kvHeads, length, Dh], ([b = 0, h = 0, t = 0, d = 0]) => {
      const start = before[b] ?? 0;
      if (t < start) return past === undefined ? NaN : read(past, [b, h, t, d]);
      return t < start + T ? read(fresh, [b, t - start, h * Dh + d]) : NaN;
    });
  const presentKey = present(key, pastKey);
  const presentValue = present(value, pastValue);
  const output = new Float64Array(B * T * heads * Dh);
  tabulate([B, T, heads], ([b = 0, t = 0, h = 0]) => {
    const group = Math.floor((h * kvHeads) / heads);
    const seen = (before[b] ?? 0) + t + 1;
    const scores = Array.from({ length: seen }, (_, s) => {
      let dot = 0;
      for (let d = 0; d < Dh; d++)
        dot += read(query, [b, t, h * Dh + d]) * read(presentKey, [b, group, s, d]);
      return dot * scale;
    });
    const max = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - max));
    const sum = weights.reduce((acc, weight) => acc + weight, 0);
    for (let d = 0; d < Dh; d++) {
      const mixed = weights.reduce(
        (acc, weight, s) => acc + weight * read(presentValue, [b, group, s, d]),
        0,
      );
      output[((b * T + t) * heads + h) * Dh + d] = mixed / sum;
    }
    return 0;
  });
  return [{ dims: query.dims, data: output }, presentKey, presentValue];
}

export interface GroupQueryAttention {
  /** [B, T, H*Dh]; key and value [B, T, Hkv*Dh]. */
  readonly query: Value;
  readonly key: Value;
  readonly value: Value;
  /** [B, Hkv, past, Dh]; absent for a prompt from its start. */
  readonly pastKey?: Value;
  readonly pastValue?: Value;
  /** int32 [B]: each sequence's total length - 1, the new rows included. */
  readonly seqLensK: Value;
  /** int32 scalar or [1]: the longest total length. Equal to T, it means that all rows are new. */
  readonly totalSequenceLength: Value;
  readonly heads: number;
  readonly kvHeads: number;
  /** 1 / sqrt(Dh) where absent. */
  readonly scale?: number;
  /** T of the presents; past + T where absent. The past's own length where past and present share a buffer. */
  readonly presentLength?: Dim;
}

/** Forward only. The presents are [B, Hkv, presentLength, Dh]. */
export function groupQueryAttention(args: GroupQueryAttention): {
  readonly output: Value;
  readonly presentKey: Value;
  readonly presentValue: Value;
} {
  const { query, key, value, pastKey, pastValue, seqLensK, totalSequenceLength, heads, kvHeads } = args;
  if ((pastKey === undefined) !== (pastValue === undefined))
    invalid("groupQueryAttention", [query], "both pasts or none");
  const width = dimAt(query, -1);
  const attrs: AttentionAttrs = {
    heads,
    kvHeads,
    scale: args.scale ?? 1 / Math.sqrt(Number(width) / heads),
    presentLength:
      args.presentLength ?? addDims(pastKey === undefined ? 0 : dimAt(pastKey, 2), dimAt(query, 1)),
  };
  const past = pastKey === undefined || pastValue === undefined ? [] : [pastKey, pastValue];
  const inputs: Inputs = [query, key, value, seqLensK, totalSequenceLength, ...past];
  const [output, presentKey, presentValue] = emit(groupQueryAttentionOp, inputs, attrs);
  return {
    output: defined(output, "groupQueryAttention"),
    presentKey: defined(presentKey, "groupQueryAttention"),
    presentValue: defined(presentValue, "groupQueryAttention"),
  };
}
