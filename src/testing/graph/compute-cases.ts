/** Cases of the products, norms, rotation, attention, search and loops, against plain loops written for the purpose. */
import type { Graph, Value } from "../../engine/graph/ir.ts";
import { groupQueryAttention } from "../../engine/graph/ops/attention.ts";
import { loop } from "../../engine/graph/ops/control.ts";
import { add, mul } from "../../engine/graph/ops/elementwise.ts";
import { gemm, linear, matMul } from "../../engine/graph/ops/linear.ts";
import { cast, less } from "../../engine/graph/ops/logic.ts";
import { logSoftmax, rmsNorm, rotary, softmax } from "../../engine/graph/ops/nn.ts";
import { reduceSum } from "../../engine/graph/ops/reduce.ts";
import { argMaxLast, topK } from "../../engine/graph/ops/search.ts";
import { concat, reshape } from "../../engine/graph/ops/shape.ts";
import { floats, ints } from "./op-case.ts";
import type { CaseInput, CaseOutput, OpCase } from "./op-case.ts";

type At = (i: number, j: number) => number;

/** Element [i, j] of matrix `batch` in a stack of r x c matrices. */
function matrix(x: CaseInput, rows: number, columns: number, batch = 0): At {
  return (i, j) => x.data[batch * rows * columns + i * columns + j] ?? NaN;
}
const flip =
  (at: At): At =>
  (i, j) =>
    at(j, i);
function product(a: At, b: At, [m, k, n]: readonly [number, number, number]): number[] {
  const out: number[] = [];
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let s = 0; s < k; s++) sum += a(i, s) * b(s, j);
      out.push(sum);
    }
  }
  return out;
}

interface Sketch {
  readonly inputs: readonly CaseInput[];
  readonly build: (inputs: readonly Value[], graph: Graph) => Value | readonly Value[];
  readonly expected: CaseOutput | readonly CaseOutput[];
  readonly differentiable?: boolean;
}
function sketch(op: OpCase["op"], title: string, how: Sketch): OpCase {
  return {
    op,
    title,
    inputs: how.inputs,
    build: (inputs, graph) => [how.build(inputs, graph)].flat(),
    expected: [how.expected].flat(),
    differentiable: how.differentiable ?? true,
  };
}

function productCases(): OpCase[] {
  const [a, b, stack] = [floats([2, 3], 1), floats([3, 4], 2), floats([2, 3, 4], 3)];
  const plain = product(matrix(a, 2, 3), matrix(b, 3, 4), [2, 3, 4]);
  const batched = [0, 1].flatMap((i) => product(matrix(a, 2, 3), matrix(stack, 3, 4, i), [2, 3, 4]));
  const rows = [0, 1].flatMap((i) => product(matrix(stack, 3, 4, i), flip(matrix(b, 3, 4)), [3, 4, 3]));
  const pairs = floats([2, 1, 2, 3], 4);
  const crossed = [0, 1].flatMap((p) =>
    [0, 1].flatMap((s) => product(matrix(pairs, 2, 3, p), matrix(stack, 3, 4, s), [2, 3, 4])),
  );
  const gemms = [0, 1, 2, 3].map((flags) => {
    const [transA, transB] = [(flags & 1) === 1, (flags & 2) === 2];
    const left = floats(transA ? [3, 2] : [2, 3], 5);
    const right = floats(transB ? [4, 3] : [3, 4], 6);
    const leftAt = transA ? flip(matrix(left, 3, 2)) : matrix(left, 2, 3);
    const rightAt = transB ? flip(matrix(right, 4, 3)) : matrix(right, 3, 4);
    return sketch("gemm", `gemm transA ${transA} transB ${transB}`, {
      inputs: [left, right],
      build: ([x, y]) => gemm(x as Value, y as Value, { transA, transB }),
      expected: { dims: [2, 4], data: product(leftAt, rightAt, [2, 3, 4]) },
    });
  });
  const multiply = ([x, y]: readonly Value[]): Value => matMul(x as Value, y as Value);
  const named: CaseInput = { ...stack, named: [2, "T", 4] };
  return [
    sketch("matMul", "matMul", { inputs: [a, b], build: multiply, expected: { dims: [2, 4], data: plain } }),
    sketch("matMul", "matMul, matrix by stack", {
      inputs: [a, stack],
      build: multiply,
      expected: { dims: [2, 2, 4], data: batched },
    }),
    sketch("matMul", "matMul, stack by matrix", {
      inputs: [floats([2, 3, 4], 3), floats([4, 3], 7)],
      build: multiply,
      expected: {
        dims: [2, 3, 3],
        data: [0, 1].flatMap((i) =>
          product(matrix(stack, 3, 4, i), matrix(floats([4, 3], 7), 4, 3), [3, 4, 3]),
        ),
      },
    }),
    sketch("matMul", "matMul, broadcast stacks", {
      inputs: [pairs, stack],
      build: multiply,
      expected: { dims: [2, 2, 2, 4], data: crossed },
    }),
    sketch("gemm", "linear on a stack, weight as [out, in]", {
      inputs: [stack, b],
      build: ([x, w]) => linear(x as Value, w as Value),
      expected: { dims: [2, 3, 3], data: rows },
    }),
    sketch("gemm", "linear on a stack of named length", {
      inputs: [named, b],
      build: ([x, w]) => linear(x as Value, w as Value),
      expected: { dims: [2, 3, 3], data: rows },
      differentiable: false,
    }),
    ...gemms,
  ];
}

function rowsOf(x: CaseInput, f: (row: readonly number[]) => number[]): number[] {
  const width = x.dims.at(-1) ?? 1;
  return Array.from({ length: x.data.length / width }, (_, r) =>
    f(x.data.slice(r * width, (r + 1) * width)),
  ).flat();
}

function normCases(): OpCase[] {
  const x = floats([2, 2, 4], 3);
  const weight = floats([4], 8);
  const soft = (row: readonly number[]): number[] => {
    const total = row.reduce((sum, value) => sum + Math.exp(value), 0);
    return row.map((value) => Math.exp(value) / total);
  };
  const normed = rowsOf(x, (row) => {
    const mean = row.reduce((sum, value) => sum + value * value, 0) / 4 + 0.01;
    return row.map((value, i) => (value * (weight.data[i] ?? NaN)) / Math.sqrt(mean));
  });
  return [
    sketch("softmax", "softmax", {
      inputs: [x],
      build: ([v]) => softmax(v as Value),
      expected: { dims: x.dims, data: rowsOf(x, soft) },
    }),
    sketch("softmax", "softmax of masked scores", {
      inputs: [{ dims: [1, 3], data: [0.5, -1e9, 1.5] }],
      build: ([v]) => softmax(v as Value),
      expected: { dims: [1, 3], data: [1 / (1 + Math.E), 0, Math.E / (1 + Math.E)] },
    }),
    sketch("reduceMax", "logSoftmax", {
      inputs: [x],
      build: ([v]) => logSoftmax(v as Value),
      expected: { dims: x.dims, data: rowsOf(x, (row) => soft(row).map(Math.log)) },
    }),
    sketch("rmsNorm", "rmsNorm", {
      inputs: [x, weight],
      build: ([v, w]) => rmsNorm(v as Value, w as Value, 0.01),
      expected: { dims: x.dims, data: normed },
    }),
  ];
}

/** cos and sin of position / 10^i for positions 0..5 and half a head of `half` elements. */
function tables(half: number): [CaseInput, CaseInput] {
  const angles = Array.from({ length: 6 * half }, (_, at) => Math.floor(at / half) / 10 ** (at % half));
  const table = (f: (x: number) => number): CaseInput => ({
    dims: [6, half],
    data: angles.map(f),
    constant: true,
  });
  return [table(Math.cos), table(Math.sin)];
}

/** One head at a position: element i and its partner half a head away turn as a pair. */
function turned(head: readonly number[], position: number): number[] {
  const half = head.length / 2;
  return head.map((x, d) => {
    const angle = position / 10 ** (d % half);
    const partner = head[(d + half) % head.length] ?? NaN;
    return x * Math.cos(angle) + (d < half ? -partner : partner) * Math.sin(angle);
  });
}
function turnedHeads(x: CaseInput, Dh: number, positionOf: (head: number) => number): number[] {
  const heads = Array.from({ length: x.data.length / Dh }, (_, h) => x.data.slice(Dh * h, Dh * h + Dh));
  return heads.flatMap((head, h) => turned(head, positionOf(h)));
}

function rotaryCases(): OpCase[] {
  const flat = floats([3, 1, 8], 4);
  const heads = floats([1, 2, 3, 4], 5);
  const apply = ([x, p, c, s]: readonly Value[]): Value =>
    rotary(x as Value, p as Value, c as Value, s as Value);
  return [
    sketch("rotary", "rotary of rows [N, 1, H*Dh]", {
      inputs: [flat, ints([3, 1], [5, 0, 2]), ...tables(2)],
      build: apply,
      expected: { dims: flat.dims, data: turnedHeads(flat, 4, (h) => [5, 0, 2][h >> 1] ?? NaN) },
    }),
    sketch("rotary", "rotary of heads [B, H, T, Dh], int64 positions", {
      inputs: [heads, ints([1, 3], [1, 2, 3], "int64"), ...tables(2)],
      build: apply,
      expected: { dims: heads.dims, data: turnedHeads(heads, 4, (h) => 1 + (h % 3)) },
    }),
  ];
}

/** Query head h of one new row over the keys so far; rows are [H*Dh] and caches [T][Hkv*Dh], two query heads a key head. */
function attendOne(
  q: readonly number[],
  keys: readonly (readonly number[])[],
  values: readonly (readonly number[])[],
): number[] {
  return [0, 1].flatMap((h) => {
    const scores = keys.map(
      (key) => key.reduce((sum, k, d) => sum + k * (q[h * 8 + d] ?? NaN), 0) / Math.sqrt(8),
    );
    const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    return [0, 1, 2, 3, 4, 5, 6, 7].map((d) =>
      values.reduce((sum, v, s) => sum + (Math.exp(scores[s] ?? NaN) / total) * (v[d] ?? NaN), 0),
    );
  });
}

function attentionCases(): OpCase[] {
  const cut = (x: CaseInput, width: number): number[][] =>
    Array.from({ length: x.data.length / width }, (_, i) => x.data.slice(i * width, (i + 1) * width));
  const [q, k, v] = [floats([1, 3, 16], 1), floats([1, 3, 8], 2), floats([1, 3, 8], 3)];
  const [keys, values] = [cut(k, 8), cut(v, 8)];
  const prompt = cut(q, 16).flatMap((row, t) => attendOne(row, keys.slice(0, t + 1), values.slice(0, t + 1)));
  // Two rows with a past of 2 places each, of which the second has used one only.
  const [q1, k1, v1] = [floats([2, 1, 16], 4), floats([2, 1, 8], 5), floats([2, 1, 8], 6)];
  const [pastK, pastV] = [floats([2, 1, 2, 8], 7), floats([2, 1, 2, 8], 8)];
  const [newK, newV, oldK, oldV] = [cut(k1, 8), cut(v1, 8), cut(pastK, 8), cut(pastV, 8)];
  const cacheOf = (old: number[][], fresh: number[][]): number[][][] => [
    [old[0] ?? [], old[1] ?? [], fresh[0] ?? []],
    [old[2] ?? [], fresh[1] ?? []],
  ];
  const [ks, vs] = [cacheOf(oldK, newK), cacheOf(oldV, newV)];
  const decoded = cut(q1, 16).flatMap((row, b) => attendOne(row, ks[b] ?? [], vs[b] ?? []));
  const padded = (cache: number[][][]): number[] =>
    cache.flatMap((rows) => [...rows, Array<number>(8).fill(NaN)].slice(0, 3).flat());
  const common = { heads: 2, kvHeads: 1 };
  const three = ([query, key, value]: readonly Value[]): { query: Value; key: Value; value: Value } => ({
    query: query as Value,
    key: key as Value,
    value: value as Value,
  });
  return [
    sketch("groupQueryAttention", "groupQueryAttention of a prompt of named length", {
      inputs: [
        { ...q, named: [1, "T", 16] },
        { ...k, named: [1, "T", 8] },
        { ...v, named: [1, "T", 8] },
        ints([1], [2]),
        ints([1], [3]),
      ],
      build: (x) => {
        const made = groupQueryAttention({
          ...three(x),
          seqLensK: x[3] as Value,
          totalSequenceLength: x[4] as Value,
          ...common,
        });
        return [made.output, made.presentKey, made.presentValue];
      },
      expected: [
        { dims: [1, 3, 16], data: prompt },
        { dims: [1, 1, 3, 8], data: k.data },
        { dims: [1, 1, 3, 8], data: v.data },
      ],
      differentiable: false,
    }),
    sketch("groupQueryAttention", "groupQueryAttention on a past, rows of two lengths", {
      inputs: [q1, k1, v1, ints([2], [2, 1]), ints([1], [3]), pastK, pastV],
      build: (x) => {
        const past = { pastKey: x[5] as Value, pastValue: x[6] as Value };
        const lengths = { seqLensK: x[3] as Value, totalSequenceLength: x[4] as Value };
        const made = groupQueryAttention({ ...three(x), ...past, ...lengths, ...common });
        return [made.output, made.presentKey, made.presentValue];
      },
      expected: [
        { dims: [2, 1, 16], data: decoded },
        { dims: [2, 1, 3, 8], data: padded(ks) },
        { dims: [2, 1, 3, 8], data: padded(vs) },
      ],
      differentiable: false,
    }),
  ];
}

const SEARCH_CASES: readonly OpCase[] = [
  sketch("topK", "topK", {
    inputs: [{ dims: [2, 4], data: [0.5, 3, -1, 2, 7, 6, 5, 8] }],
    build: ([x]) => {
      const { values, indices } = topK(x as Value, 2);
      return [values, cast(indices, "int32")];
    },
    expected: [
      { dims: [2, 2], data: [3, 2, 8, 7] },
      { dims: [2, 2], data: [1, 3, 3, 0] },
    ],
    differentiable: false,
  }),
  sketch("reduceMax", "argMaxLast takes the first of equals", {
    inputs: [{ dims: [3, 4], data: [0.5, 3, 3, 2, 7, 6, 5, 8, -1, -2, -3, -4] }],
    build: ([x]) => argMaxLast(x as Value),
    expected: { dims: [3], data: [1, 3, 0] },
    differentiable: false,
  }),
];

/** Carries a list that grows by its last element plus a weight from outside, and stops past a limit. */
function growing(inputs: readonly Value[]): Value[] {
  const [list, step, limit] = inputs as [Value, Value, Value];
  const result = loop({
    maxTrips: 10,
    carried: [list, reduceSum(list, [0], true)],
    carriedDims: [["N"], undefined],
    body: (iteration, [listNow, last]) => {
      const next = add(last as Value, mul(step, add(cast(iteration, "float32"), 1)));
      return {
        condition: less(reshape(next, []), reshape(limit, [])),
        carried: [concat([listNow as Value, next], 0), next],
        scans: [mul(next, 2)],
      };
    },
  });
  return [...result.carried, ...result.scans];
}

const LOOP_CASES: readonly OpCase[] = [
  sketch("loop", "a loop whose carried value grows, with an early end", {
    inputs: [
      { dims: [2], data: [1, 2] },
      { dims: [1], data: [0.5] },
      { dims: [1], data: [6] },
    ],
    build: growing,
    expected: [
      { dims: [5], data: [1, 2, 3.5, 4.5, 6] },
      { dims: [1], data: [6] },
      { dims: [3, 1], data: [7, 9, 12] },
    ],
    differentiable: false,
  }),
  sketch("loop", "a loop that ends by its number of trips and hands a value through", {
    inputs: [{ dims: [2], data: [1, 2] }, ints([], [3], "int64")],
    build: ([x, trips]) =>
      loop({
        maxTrips: trips as Value,
        carried: [x as Value, x as Value],
        body: (_, [a, b]) => ({ carried: [b as Value, add(a as Value, b as Value)] }),
      }).carried,
    expected: [
      { dims: [2], data: [3, 6] },
      { dims: [2], data: [5, 10] },
    ],
    differentiable: false,
  }),
];

export const COMPUTE_CASES: readonly OpCase[] = [
  ...productCases(),
  ...normCases(),
  ...rotaryCases(),
  ...attentionCases(),
  ...SEARCH_CASES,
  ...LOOP_CASES,
];
