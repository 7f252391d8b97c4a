/** Gradients and log-probabilities of given completions on the engine, in micro-batches whose gradients are summed. */
import { float32, type HostTensor } from "../../engine/graph/tensor.ts";
import type { SharedPrefixShape } from "../../engine/nn/attention.ts";
import { grpoGraph, scoreGraph, type UpdateModel } from "../../engine/nn/update-graphs.ts";
import type { GradientResult, LossConfig, TrainingGroup, TrainingRow } from "../policy.ts";
import type { CompiledGraphs } from "./compiled-graphs.ts";
import { packUpdate, type PackedUpdate, type TokenGroup } from "./pack-update.ts";

export interface UpdateContext {
  readonly graphs: CompiledGraphs;
  readonly model: Omit<UpdateModel, "temperature">;
}

const shapeKey = (shape: SharedPrefixShape): string => Object.values(shape).join(" ");

/** log p of every token, [P][G][T_i]. */
export async function scoreCompletions(
  { graphs, model }: UpdateContext,
  groups: readonly TokenGroup[],
  adapter: Float32Array,
  temperature: number,
): Promise<Float32Array[][]> {
  const packed = packUpdate(groups);
  const graph = await graphs.get(`score ${temperature} ${shapeKey(packed.shape)}`, () =>
    scoreGraph({ ...model, temperature }, packed.shape),
  );
  const out = await graph.run({ ...packed.feeds, lora: float32([adapter.length], adapter) });
  return packed.unpack((out["logProbs"] as HostTensor).data as Float32Array);
}

/** The loss's weight of one token of each completion: TRL's normalisers (methods.md section 5, "loss normaliser"). */
export function tokenWeight(rows: readonly TrainingRow[], loss: LossConfig): (row: TrainingRow) => number {
  const tokens = rows.reduce((sum, row) => sum + row.tokens.length, 0);
  switch (loss.loss_type) {
    case "grpo":
      return (row) => 1 / (row.tokens.length * rows.length);
    case "bnpo":
    case "dapo":
      return () => 1 / tokens;
    case "dr_grpo":
      return () => 1 / (rows.length * loss.max_completion_length);
  }
}

/** Loss, gradient and metrics over all groups. */
export async function grpoGradient(
  context: UpdateContext,
  groups: readonly TrainingGroup[],
  adapter: Float32Array,
  loss: LossConfig,
): Promise<GradientResult> {
  const rows = groups.flatMap((group) => group.completions);
  const weight = tokenWeight(rows, loss);
  const gradient = new Float32Array(adapter.length);
  const logProbs: Float32Array[][] = groups.map(() => []);
  let total = 0;
  let entropySum = 0;
  for (const batch of microBatches(groups, loss.micro_batch_size)) {
    const packed = packUpdate(batch.groups.map(tokenGroup));
    const out = await runBatch(context, { packed, groups: batch.groups, adapter, loss, weight });
    total += out.loss;
    out.gradient.forEach((value, i) => (gradient[i] = (gradient[i] ?? 0) + value));
    packed.unpack(out.logProbs).forEach((group, p) => logProbs[batch.firstGroup + p]?.push(...group));
    batch.groups.forEach((group, p) => {
      group.completions.forEach((row, g) => {
        row.tokens.forEach((_, t) => (entropySum += out.entropy[packed.entropyIndex(p, g, t)] ?? NaN));
      });
    });
  }
  const tokens = rows.reduce((sum, row) => sum + row.tokens.length, 0);
  return {
    loss: total,
    gradient,
    logProbs,
    entropy: entropySum / tokens,
    kl: loss.beta > 0 ? meanKl(groups, logProbs, loss) : null,
    clipRatio: clipRatio(groups, logProbs, loss),
  };
}

const tokenGroup = (group: TrainingGroup): TokenGroup => ({
  prompt: group.prompt,
  completions: group.completions.map((row) => row.tokens),
});

interface MicroBatch {
  readonly groups: readonly TrainingGroup[];
  /** Index of its first group among all groups. */
  readonly firstGroup: number;
}

/** Whole groups while they fit; a group larger than `size` rows is cut into parts that share its prompt. */
function microBatches(groups: readonly TrainingGroup[], size: number | null): MicroBatch[] {
  const rows = groups.reduce((sum, group) => sum + group.completions.length, 0);
  if (size === null || rows <= size) return [{ groups, firstGroup: 0 }];
  return groups.flatMap((group, firstGroup) => {
    const parts: MicroBatch[] = [];
    for (let start = 0; start < group.completions.length; start += size) {
      const part = { prompt: group.prompt, completions: group.completions.slice(start, start + size) };
      parts.push({ groups: [part], firstGroup });
    }
    return parts;
  });
}

async function runBatch(
  { graphs, model }: UpdateContext,
  batch: {
    readonly packed: PackedUpdate;
    readonly groups: readonly TrainingGroup[];
    readonly adapter: Float32Array;
    readonly loss: LossConfig;
    readonly weight: (row: TrainingRow) => number;
  },
): Promise<{ loss: number; gradient: Float32Array; logProbs: Float32Array; entropy: Float32Array }> {
  const { packed, groups, adapter, loss, weight } = batch;
  const settings = {
    epsilonLow: loss.epsilon,
    epsilonHigh: loss.epsilon_high ?? loss.epsilon,
    beta: loss.beta,
    biasCorrection: loss.use_bias_correction_kl,
  };
  const key = `grpo ${loss.temperature} ${Object.values(settings).join(" ")} ${shapeKey(packed.shape)}`;
  const graph = await graphs.get(key, () =>
    grpoGraph({ ...model, temperature: loss.temperature }, packed.shape, settings),
  );
  const perToken = (value: (row: TrainingRow, t: number) => number): HostTensor =>
    packed.perToken((p, g, t) => {
      const row = groups[p]?.completions[g];
      return row ? value(row, t) : NaN;
    });
  const out = await graph.run({
    ...packed.feeds,
    lora: float32([adapter.length], adapter),
    advantages: perToken((row) => row.advantage),
    oldLogProbs: perToken((row, t) => row.oldLogProbs[t] ?? NaN),
    weights: perToken(weight),
    ...(loss.beta > 0 ? { refLogProbs: perToken((row, t) => row.refLogProbs?.[t] ?? NaN) } : {}),
  });
  const data = (name: string): Float32Array => (out[name] as HostTensor).data as Float32Array;
  return {
    loss: data("loss")[0] ?? NaN,
    gradient: data("gradient"),
    logProbs: data("logProbs"),
    entropy: data("entropy"),
  };
}

/** Mean over all tokens of a number per token. */
function tokenMean(
  groups: readonly TrainingGroup[],
  logProbs: readonly (readonly Float32Array[])[],
  value: (row: TrainingRow, logProb: number, t: number) => number,
): number {
  let sum = 0;
  let count = 0;
  groups.forEach((group, p) => {
    group.completions.forEach((row, g) => {
      logProbs[p]?.[g]?.forEach((logProb, t) => {
        sum += value(row, logProb, t);
        count += 1;
      });
    });
  });
  return sum / count;
}

/** Mean of the KL term per token, TRL's metric `kl`: with bias correction it carries the importance ratio. */
function meanKl(
  groups: readonly TrainingGroup[],
  logProbs: readonly (readonly Float32Array[])[],
  loss: LossConfig,
): number {
  return tokenMean(groups, logProbs, (row, logProb, t) => {
    const delta = (row.refLogProbs?.[t] ?? NaN) - logProb;
    const k3 = Math.exp(delta) - delta - 1;
    return loss.use_bias_correction_kl ? k3 * Math.exp(logProb - (row.oldLogProbs[t] ?? NaN)) : k3;
  });
}

/** Shares of tokens at which clipping took the gradient away, as TRL logs them. */
function clipRatio(
  groups: readonly TrainingGroup[],
  logProbs: readonly (readonly Float32Array[])[],
  loss: LossConfig,
): GradientResult["clipRatio"] {
  const ratio = (row: TrainingRow, logProb: number, t: number): number =>
    Math.exp(logProb - (row.oldLogProbs[t] ?? NaN));
  const isLow = (row: TrainingRow, logProb: number, t: number): boolean =>
    row.advantage < 0 && ratio(row, logProb, t) < 1 - loss.epsilon;
  const isHigh = (row: TrainingRow, logProb: number, t: number): boolean =>
    row.advantage > 0 && ratio(row, logProb, t) > 1 + (loss.epsilon_high ?? loss.epsilon);
  const low = tokenMean(groups, logProbs, (...token) => Number(isLow(...token)));
  const high = tokenMean(groups, logProbs, (...token) => Number(isHigh(...token)));
  return { low, high, region: low + high };
}
