/** One graph through every kernel, large enough that threads share each call, with sizes that end inside a vector or a panel. */
import { createRng, type Rng } from "../base/rng.ts";
import { groupQueryAttention } from "../engine/graph/ops/attention.ts";
import * as elementwise from "../engine/graph/ops/elementwise.ts";
import { blockLinear, dequantizeBlocks } from "../engine/graph/ops/blocks.ts";
import { gather, gatherElements } from "../engine/graph/ops/gather.ts";
import { gemm, matMul } from "../engine/graph/ops/linear.ts";
import * as logic from "../engine/graph/ops/logic.ts";
import { rmsNorm, rotary, softmax } from "../engine/graph/ops/nn.ts";
import { cumSum, reduceMax, reduceMean, reduceSum } from "../engine/graph/ops/reduce.ts";
import { concat, expand, pad, reshape, slice, transpose } from "../engine/graph/ops/shape.ts";
import { Graph, type Value } from "../engine/graph/ir.ts";
import { float32, type HostTensor, int32, sizeOf } from "../engine/graph/tensor.ts";

/** Rows and columns of most tensors; an odd width, so that rows begin anywhere in a vector; and of attention. */
const [ROWS, COLUMNS, ODD] = [203, 132, 133];
const [B, T, HEADS, KV_HEADS, HEAD] = [3, 37, 4, 2, 16];

export interface EveryKernel {
  readonly graph: Graph;
  readonly feeds: Readonly<Record<string, HostTensor>>;
}

export function everyKernel(seed: number): EveryKernel {
  const rng = createRng(seed, "every-kernel");
  const graph = new Graph("every kernel");
  const feeds: Record<string, HostTensor> = {};
  const input = (name: string, dims: readonly number[]): Value => {
    feeds[name] = normal(dims, rng);
    return graph.input(name, "float32", dims);
  };
  const index = (name: string, dims: readonly number[], below: number): Value => {
    feeds[name] = int32(
      dims,
      Int32Array.from({ length: sizeOf(dims) }, () => rng.below(below)),
    );
    return graph.input(name, "int32", dims);
  };
  const outputs = {
    ...products(input),
    ...arithmetic(input),
    ...rows(input, index),
    ...moves(input, index),
    ...attention(graph, input, feeds),
    ...blocks(input, (name, dims) => {
      feeds[name] = {
        dtype: "uint8",
        dims,
        data: Uint8Array.from({ length: sizeOf(dims) }, () => rng.below(256)),
      };
      return graph.input(name, "uint8", dims);
    }),
  };
  for (const [name, value] of Object.entries(outputs)) graph.output(`${name} out`, value); // inputs have names of their own
  return { graph, feeds };
}

type Input = (name: string, dims: readonly number[]) => Value;
type Index = (name: string, dims: readonly number[], below: number) => Value;
type Outputs = Readonly<Record<string, Value>>;

const normal = (dims: readonly number[], rng: Rng): HostTensor =>
  float32(
    dims,
    Float32Array.from({ length: sizeOf(dims) }, () => rng.normal()),
  );

function products(input: Input): Outputs {
  const [a, b, narrow] = [input("a", [ROWS, ODD]), input("b", [ODD, COLUMNS]), input("narrow", [ROWS, 5])];
  const [few, each, other] = [
    input("few", [16, ODD]),
    input("each", [17, 40, 30]),
    input("other", [17, 30, 21]),
  ];
  const product = gemm(a, b);
  return {
    wide: gemm(few, b),
    turned: gemm(a, narrow, { transA: true }), // [ODD, 5]
    both: gemm(b, a, { transA: true, transB: true }),
    sum: elementwise.add(elementwise.neg(gemm(few, b)), gemm(elementwise.neg(few), b)),
    added: elementwise.add(elementwise.square(product), gemm(elementwise.exp(a), b)),
    each: matMul(each, other),
  };
}

/** Rows that end within a panel and within a block. */
function blocks(input: Input, bytes: Input): Outputs {
  const form = (bits: 4 | 8): Outputs => {
    const [data, scales] = [bytes(`data${bits}`, [ROWS, 5, 4 * bits]), input(`scales${bits}`, [ROWS, 5])];
    const attrs = { bits, columns: ODD };
    const small = elementwise.mul(input(`left${bits}`, [37, ODD]), 1 / 128); // beside integers up to 128
    return {
      [`product${bits}`]: blockLinear(small, data, scales, attrs),
      [`numbers${bits}`]: dequantizeBlocks(data, scales, attrs),
    };
  };
  return { ...form(8), ...form(4) };
}

function arithmetic(input: Input): Outputs {
  const [x, y, row, column] = [
    input("x", [ROWS, ODD]),
    input("y", [ROWS, ODD]),
    input("row", [1, COLUMNS]),
    input("column", [ROWS, 1]),
  ];
  const even = input("even", [ROWS, COLUMNS]);
  const names = ["neg", "exp", "reciprocal", "abs", "square", "sigmoid", "silu"] as const;
  const unary = Object.fromEntries(names.map((name) => [name, elementwise[name](x)]));
  const binary = Object.fromEntries(
    (["add", "sub", "mul", "div", "maximum", "minimum"] as const).flatMap((name) => [
      [name, elementwise[name](x, y)],
      [`${name} by row`, elementwise[name](even, row)],
      [`${name} by column`, elementwise[name](column, even)],
    ]),
  );
  const positive = elementwise.abs(y);
  const less = logic.less(x, y);
  return {
    ...unary,
    ...binary,
    sqrt: elementwise.sqrt(positive),
    log: elementwise.log(positive),
    clip: elementwise.clip(x, -0.5, 0.5),
    where: logic.where(less, x, y),
    float: logic.cast(logic.or(logic.not(less), logic.and(less, logic.equal(x, x))), "float32"),
    whole: logic.cast(x, "int32"),
    "odd by column": elementwise.mul(column, x),
  };
}

function rows(input: Input, index: Index): Outputs {
  const [x, even, deep] = [
    input("r", [ROWS, 1001]),
    input("s", [ROWS, 2 * COLUMNS]),
    input("t", [20, 50, 68]),
  ];
  const angles = [input("cos", [ROWS, 8]), input("sin", [ROWS, 8])] as const;
  return {
    softmax: softmax(x),
    norm: rmsNorm(even, input("weight", [2 * COLUMNS]), 1e-6),
    "odd norm": rmsNorm(x, input("long", [1001]), 1e-6),
    sums: reduceSum(x, [1]),
    most: reduceMax(x, [1]),
    columns: reduceSum(x, [0]),
    middle: reduceMean(deep, [1]),
    "odd middle": reduceSum(input("u", [40, 40, 67]), [1]),
    running: cumSum(x, 1),
    rotary: rotary(
      reshape(slice(even, 1, 0, 128), [ROWS, 1, 128]),
      index("positions", [ROWS, 1], ROWS),
      ...angles,
    ),
  };
}

function moves(input: Input, index: Index): Outputs {
  const [x, deep, column] = [input("m", [ROWS, 201]), input("d", [20, 50, 60]), input("thin", [ROWS, 1])];
  return {
    turn: transpose(x, [1, 0]),
    deepTurn: transpose(deep, [0, 2, 1]),
    part: slice(x, 1, 3, 199),
    joined: concat([x, slice(x, 1, 0, 7)], 1),
    spread: expand(column, [ROWS, 201]),
    padded: pad(x, 1, 1, 2, 7),
    picked: gather(x, index("places", [400], ROWS)),
    element: gatherElements(x, index("elements", [ROWS, 1], 201), 1),
  };
}

/** On a past of three lengths. */
function attention(graph: Graph, input: Input, feeds: Record<string, HostTensor>): Outputs {
  const width = KV_HEADS * HEAD;
  const past = [B, KV_HEADS, 40 + T, HEAD];
  feeds["seqLensK"] = int32([B], Int32Array.of(40 + T - 1, 20 + T - 1, T - 1));
  feeds["total"] = int32([1], Int32Array.of(40 + T));
  const { output } = groupQueryAttention({
    query: input("query", [B, T, HEADS * HEAD]),
    key: input("key", [B, T, width]),
    value: input("value", [B, T, width]),
    pastKey: input("pastKey", past),
    pastValue: input("pastValue", past),
    seqLensK: graph.input("seqLensK", "int32", [B]),
    totalSequenceLength: graph.input("total", "int32", [1]),
    heads: HEADS,
    kvHeads: KV_HEADS,
    presentLength: 40 + T,
  });
  return { attention: output };
}
