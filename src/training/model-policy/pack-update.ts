/**
 * Lays groups of completions out for the shared-prefix update: packed completion rows first, then prompt slots.
 * Sizes are rounded up so that few different graphs are built. Knows index arithmetic, not the model.
 */
import { defined } from "../../base/assert.ts";
import { MASKED, type SharedPrefixShape } from "../../engine/nn/attention.ts";
import { float32, type HostTensor, int32 } from "../../engine/graph/tensor.ts";
import type { PromptTokens } from "../policy.ts";

export interface TokenGroup {
  readonly prompt: PromptTokens;
  /** G completions, the same number in every group, each of at least one token. */
  readonly completions: readonly Int32Array[];
}

/** A laid-out update: the graph's shape, its index inputs, and where each token's numbers stand. */
export interface PackedUpdate {
  readonly shape: SharedPrefixShape;
  readonly feeds: Readonly<Record<string, HostTensor>>;
  /** Index into the graph's per-token vectors [P*G + Nc] of token t of completion g of prompt p. */
  tokenIndex(p: number, g: number, t: number): number;
  /** A per-token vector from a function of (p, g, t); padding is 0. */
  perToken(value: (p: number, g: number, t: number) => number): HostTensor;
  /** A per-token vector cut into completions, [P][G][T_i]. */
  unpack(vector: Float32Array): Float32Array[][];
  /** First packed row, and number of tokens, of each completion [P*G]. */
  readonly firstRow: Int32Array;
  readonly completionTokens: Int32Array;
  /** Index into the graph's entropy [P + Nc] for token t of completion g of prompt p. */
  entropyIndex(p: number, g: number, t: number): number;
}

const roundUp = (n: number, multiple: number): number => Math.ceil(n / multiple) * multiple;

/** Sizes are rounded up to multiples of these. */
export interface PackRounding {
  readonly promptSlots: number;
  readonly completionSlots: number;
  readonly completionRows: number;
}

/** Coarse enough for a handful of graphs a run, fine enough to waste little. */
export const COARSE: PackRounding = { promptSlots: 16, completionSlots: 24, completionRows: 128 };

/** For our own kernels, which open a graph in less time than an update takes. */
export const FINE: PackRounding = { promptSlots: 8, completionSlots: 24, completionRows: 64 };

/** The rounded sizes of groups whose prompts, and completions, are all of one length. */
export function packedShape(
  size: {
    readonly prompts: number;
    readonly group: number;
    readonly promptTokens: number;
    readonly completionTokens: number;
  },
  rounding: PackRounding,
): SharedPrefixShape {
  const completions = Array.from({ length: size.group }, () => new Int32Array(size.completionTokens));
  const group = { prompt: new Int32Array(size.promptTokens), completions };
  return shapeOf(
    Array.from({ length: size.prompts }, () => group),
    rounding,
  );
}

/** The rounded sizes for these groups; there is always a padding row and, in every completion, a padding slot. */
function shapeOf(groups: readonly TokenGroup[], rounding: PackRounding): SharedPrefixShape {
  const rowCounts = groups.flatMap((group) => group.completions.map((tokens) => tokens.length - 1));
  const rows = rowCounts.reduce((a, b) => a + b, 0);
  return {
    prompts: groups.length,
    group: defined(groups[0], "groups").completions.length,
    promptSlots: roundUp(Math.max(...groups.map((group) => group.prompt.length)), rounding.promptSlots),
    completionSlots: roundUp(Math.max(...rowCounts) + 1, rounding.completionSlots),
    completionRows: roundUp(rows + 1, rounding.completionRows),
  };
}

/** The index inputs (see sharedPrefixAttention), and the first packed row of each completion [P*G]. */
function layOut(
  groups: readonly TokenGroup[],
  shape: SharedPrefixShape,
): { readonly feeds: PackedUpdate["feeds"]; readonly firstRow: Int32Array } {
  const { prompts: P, group: G, promptSlots: Tp, completionSlots: S, completionRows: Nc } = shape;
  const N = Nc + P * Tp;
  const ids = new Int32Array(N);
  const positions = new BigInt64Array(N);
  const slotRows = new Int32Array(P * G * S).fill(Nc - 1); // the last row is padding
  const rowSlots = new Int32Array(Nc).fill(S - 1); // the spare slot of prompt 0, completion 0
  const promptMask = new Float32Array(P * Tp).fill(MASKED);
  const promptLast = new Float32Array(P * P * Tp);
  const firstLabels = new Int32Array(P * G);
  const rowLabels = new Int32Array(Nc);
  const firstRow = new Int32Array(P * G);
  let row = 0;
  groups.forEach(({ prompt, completions }, p) => {
    promptLast[p * P * Tp + p * Tp + prompt.length - 1] = 1;
    prompt.forEach((id, t) => {
      ids[Nc + p * Tp + t] = id;
      positions[Nc + p * Tp + t] = BigInt(t);
      promptMask[p * Tp + t] = 0;
    });
    completions.forEach((tokens, g) => {
      firstLabels[p * G + g] = defined(tokens[0], "a completion's first token");
      firstRow[p * G + g] = row;
      for (let t = 0; t + 1 < tokens.length; t++, row++) {
        ids[row] = tokens[t] ?? 0;
        rowLabels[row] = tokens[t + 1] ?? 0;
        positions[row] = BigInt(prompt.length + t);
        rowSlots[row] = (p * G + g) * S + t;
        slotRows[(p * G + g) * S + t] = row;
      }
    });
  });
  return {
    feeds: {
      ids: int32([N], ids),
      positions: { dtype: "int64", dims: [N, 1], data: positions },
      slotRows: int32([P * G * S], slotRows),
      rowSlots: int32([Nc], rowSlots),
      promptMask: float32([P, 1, 1, Tp], promptMask),
      promptLast: float32([P, P * Tp], promptLast),
      firstLabels: int32([P * G], firstLabels),
      rowLabels: int32([Nc], rowLabels),
    },
    firstRow,
  };
}

/** What `nextTokenHead` asks: the row of the last token but one of every completion, each of which has two at least. */
export function questionFeeds(
  { firstRow, completionTokens }: Pick<PackedUpdate, "firstRow" | "completionTokens">,
  words: Int32Array,
): Readonly<Record<string, HostTensor>> {
  const rows = firstRow.map((first, i) => first + (completionTokens[i] ?? 0) - 2);
  return { questionRows: int32([rows.length], rows), words: int32([words.length], words) };
}

/** Lays groups out. Every group must have the same number of completions. */
export function packUpdate(groups: readonly TokenGroup[], rounding = COARSE): PackedUpdate {
  const shape = shapeOf(groups, rounding);
  const { prompts: P, group: G, completionRows: Nc } = shape;
  const { feeds, firstRow } = layOut(groups, shape);
  const tokenIndex = (p: number, g: number, t: number): number =>
    t === 0 ? p * G + g : P * G + (firstRow[p * G + g] ?? 0) + t - 1;
  const forEachToken = (visit: (p: number, g: number, t: number) => void): void => {
    groups.forEach(({ completions }, p) => {
      completions.forEach((tokens, g) => {
        for (let t = 0; t < tokens.length; t++) visit(p, g, t);
      });
    });
  };
  return {
    shape,
    feeds,
    firstRow,
    completionTokens: Int32Array.from(
      groups.flatMap(({ completions }) => completions.map(({ length }) => length)),
    ),
    tokenIndex,
    perToken: (value) => {
      const data = new Float32Array(P * G + Nc);
      forEachToken((p, g, t) => (data[tokenIndex(p, g, t)] = value(p, g, t)));
      return float32([P * G + Nc], data);
    },
    unpack: (vector) =>
      groups.map(({ completions }, p) =>
        completions.map((tokens, g) =>
          Float32Array.from(tokens, (_, t) => vector[tokenIndex(p, g, t)] ?? NaN),
        ),
      ),
    entropyIndex: (p, g, t) => (t === 0 ? p : P + (firstRow[p * G + g] ?? 0) + t - 1),
  };
}
