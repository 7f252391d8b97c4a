/** Gradients and log-probabilities of given completions, in micro-batches whose gradients are summed. */
import { lossMetrics, lossTokenMean, tokenWeights } from "../../domain/grpo/reference-loss.ts";
import type { GradientResult, LossConfig, TrainingGroup } from "../policy.ts";
import { lossInputs } from "./loss-inputs.ts";
import { packUpdate, type PackedUpdate, type TokenGroup } from "./pack-update.ts";
import type { UpdatePlan } from "./update-plan.ts";

/** log p of every token, [P][G][T_i]. */
export async function scoreCompletions(
  plan: UpdatePlan,
  groups: readonly TokenGroup[],
  adapter: Float32Array,
  temperature: number,
): Promise<Float32Array[][]> {
  const packed = packUpdate(groups, plan.rounding);
  const { logProbs } = await plan.score({ packed, adapter, temperature });
  return packed.unpack(logProbs);
}

/** log p of words after every completion, which has one token at least: [P][G], each [W]. */
export async function scoreNextTokens(
  plan: UpdatePlan,
  groups: readonly TokenGroup[],
  adapter: Float32Array,
  words: Int32Array,
): Promise<Float32Array[][]> {
  // rows are those of tokens that another follows
  const followed = groups.map(({ prompt, completions }) => ({
    prompt,
    completions: completions.map((tokens) => Int32Array.from([...tokens, 0])),
  }));
  const packed = packUpdate(followed, plan.rounding);
  const flat = await plan.nextTokens({ packed, adapter, temperature: 1 }, words);
  const W = words.length;
  let row = 0;
  return groups.map(({ completions }) => completions.map(() => flat.slice(W * row, W * ++row)));
}

/** Loss, gradient and metrics over all groups. */
export async function grpoGradient(
  plan: UpdatePlan,
  groups: readonly TrainingGroup[],
  adapter: Float32Array,
  loss: LossConfig,
): Promise<GradientResult> {
  const rows = groups.flatMap((group) => group.completions);
  const sizes = rows.map((row) => ({ tokens: row.tokens.length, inLoss: row.inLoss !== false }));
  const perRow = tokenWeights(sizes, loss);
  const weights = new Map(rows.map((row, i) => [row, perRow[i] ?? NaN]));
  const gradient = new Float32Array(adapter.length);
  const logProbs: Float32Array[][] = groups.map(() => []);
  const entropies: Float32Array[] = [];
  let total = 0;
  for (const batch of microBatches(groups, loss.micro_batch_size)) {
    const packed = packUpdate(batch.groups.map(tokenGroup), plan.rounding);
    const out = await plan.gradient(
      { packed, adapter, temperature: loss.temperature },
      lossInputs(packed, batch.groups, loss, weights),
    );
    total += out.loss;
    out.gradient.forEach((value, i) => (gradient[i] = (gradient[i] ?? 0) + value));
    packed.unpack(out.logProbs).forEach((group, p) => logProbs[batch.firstGroup + p]?.push(...group));
    entropies.push(...entropiesOf(packed, batch.groups, out.entropy));
  }
  const flat = logProbs.flat();
  const lossRows = rows.map((row, i) => ({ ...row, logProbs: flat[i] ?? [], inLoss: row.inLoss !== false }));
  return {
    loss: total,
    gradient,
    logProbs,
    entropy: lossTokenMean(lossRows, entropies),
    ...lossMetrics(lossRows, loss),
  };
}

/** The entropy at each token of each completion, completion by completion. */
function entropiesOf(
  packed: PackedUpdate,
  groups: readonly TrainingGroup[],
  entropy: Float32Array,
): Float32Array[] {
  return groups.flatMap(({ completions }, p) =>
    completions.map(({ tokens }, g) =>
      Float32Array.from(tokens, (_, t) => entropy[packed.entropyIndex(p, g, t)] ?? NaN),
    ),
  );
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
