/** Gradients and log-probabilities of given completions, in micro-batches whose gradients are summed. */
import type { GradientResult, LossConfig, TrainingGroup, TrainingRow } from "../policy.ts";
import { lossInputs, tokenWeight } from "./loss-inputs.ts";
import { packUpdate, type TokenGroup } from "./pack-update.ts";
import type { UpdatePlan } from "./update-plan.ts";

/** log p of every token, [P][G][T_i]. */
export async function scoreCompletions(
  plan: UpdatePlan,
  groups: readonly TokenGroup[],
  adapter: Float32Array,
  temperature: number,
): Promise<Float32Array[][]> {
  const packed = packUpdate(groups);
  const { logProbs } = await plan.score({ packed, adapter, temperature });
  return packed.unpack(logProbs);
}

/** Loss, gradient and metrics over all groups. */
export async function grpoGradient(
  plan: UpdatePlan,
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
    const out = await plan.gradient(
      { packed, adapter, temperature: loss.temperature },
      lossInputs(packed, batch.groups, loss, weight),
    );
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
