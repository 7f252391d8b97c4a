/**
 * One GRPO update of one adapter: advantages -> gradient -> clip and AdamW, `num_iterations` times on the same
 * rollouts (TRL 1.16). Knows nothing of rubrics.
 *
 * 1. Old log-probabilities are the sampler's in the first iteration; later iterations take the training graph's own
 *    from before the first update, as TRL does.
 * 2. A truncated completion leaves the loss under `mask_truncated_completions`; its reward has counted in its group's mean
 *    and spread, as in TRL.
 * 3. A step with nothing in the loss, or whose advantages there are all 0 with beta 0, has an exactly zero gradient. It
 *    is measured and recorded, but the optimizer rests [ours]: in TRL AdamW's momentum would still move the weights. A
 *    step that can teach nothing changes nothing.
 */
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { UpdateFigures } from "../domain/grpo/metrics.ts";
import { meanOf, type Maybe } from "../domain/rubric/moments.ts";
import { throwIfAborted } from "./abort.ts";
import { checkAllFinite, checkGradient, normOf } from "./gradient-health.ts";
import type { Completion, GradientResult, OptimizerState, Policy, TrainingGroup } from "./policy.ts";
import type { SampledGroup } from "./rollout.ts";

/** What an update moves. */
export interface Trainable {
  readonly adapter: Float32Array;
  readonly optimizer: OptimizerState;
}

export interface UpdateRequest {
  readonly groups: readonly SampledGroup[];
  /** [P][G] */
  readonly advantages: readonly (readonly number[])[];
  readonly from: Trainable;
  /** The adapter of the reference policy, to which KL is; null = the base. */
  readonly reference: Float32Array | null;
  readonly config: GrpoConfig;
  readonly learningRate: number;
  /** Step, seed and arm, named in errors. */
  readonly where: string;
  readonly signal?: AbortSignal | undefined;
}

export interface UpdateResult extends UpdateFigures {
  readonly to: Trainable;
}

/** Moments of an adapter that has not been trained. */
export function freshOptimizer(adapterSize: number): OptimizerState {
  return { m: new Float32Array(adapterSize), v: new Float32Array(adapterSize), step: 0 };
}

/**
 * The adapter and moments after the update; the ones it started from are left as they are.
 * @throws PlaygroundError `not-finite` or `diverged` naming step, seed, arm and tensor, or `aborted` between two passes.
 */
export async function updateAdapter(policy: Policy, request: UpdateRequest): Promise<UpdateResult> {
  const { config, where } = request;
  const rest = teachesNothing(request);
  const reference = config.beta === 0 ? null : await referenceLogProbs(policy, request);
  let to = request.from;
  let old = request.groups.map((group) => group.completions.map((completion) => completion.logProbs));
  const passes: (GradientResult & { readonly gradNorm: number })[] = [];
  for (let iteration = 0; iteration < (rest ? 1 : config.num_iterations); iteration++) {
    throwIfAborted(request.signal, where);
    const pass = await policy.gradient(trainingGroups(request, old, reference), to.adapter, config);
    checkGradient(pass, policy.adapterTensors, config, where);
    const next = rest ? null : await optimize(policy, pass.gradient, to, request);
    passes.push({ ...pass, gradNorm: next?.gradNorm ?? normOf(pass.gradient) });
    if (iteration === 0) old = pass.logProbs.map((group) => [...group]);
    if (next !== null) to = { adapter: next.adapter, optimizer: next.state };
  }
  return { to, ...measure(passes, request) };
}

/** Whether a completion's tokens are in the loss. */
function isInLoss({ ended }: Completion, config: GrpoConfig): boolean {
  return ended || !config.mask_truncated_completions;
}

/** Whether the gradient is exactly zero. */
function teachesNothing({ groups, advantages, config }: UpdateRequest): boolean {
  const inLoss = groups.flatMap((group, p) =>
    group.completions.flatMap((each, i) => (isInLoss(each, config) ? [advantages[p]?.[i] ?? 0] : [])),
  );
  return inLoss.length === 0 || (config.beta === 0 && inLoss.every((advantage) => advantage === 0));
}

function referenceLogProbs(
  policy: Policy,
  { groups, config, reference }: UpdateRequest,
): Promise<readonly (readonly Float32Array[])[]> {
  return policy.logProbs(groups.map(forScoring), reference, config.temperature);
}

/** A sampled group in the form that `Policy.logProbs` takes. */
export function forScoring(group: SampledGroup): {
  readonly prompt: Int32Array;
  readonly completions: readonly Int32Array[];
} {
  return {
    prompt: group.promptTokens,
    completions: group.completions.map((completion) => completion.tokens),
  };
}

function trainingGroups(
  request: UpdateRequest,
  old: readonly (readonly Float32Array[])[],
  reference: readonly (readonly Float32Array[])[] | null,
): TrainingGroup[] {
  return request.groups.map((group, p) => ({
    prompt: group.promptTokens,
    completions: group.completions.map((completion, i) => ({
      tokens: completion.tokens,
      advantage: request.advantages[p]?.[i] ?? 0,
      oldLogProbs: old[p]?.[i] ?? completion.logProbs,
      refLogProbs: reference?.[p]?.[i] ?? null,
      inLoss: isInLoss(completion, request.config),
    })),
  }));
}

async function optimize(
  policy: Policy,
  gradient: Float32Array,
  from: Trainable,
  { config, learningRate, where }: UpdateRequest,
): ReturnType<Policy["optimize"]> {
  const result = await policy.optimize(from.adapter, gradient, from.optimizer, {
    learningRate,
    beta1: config.adam_beta1,
    beta2: config.adam_beta2,
    epsilon: config.adam_epsilon,
    weightDecay: config.weight_decay,
    maxGradNorm: config.max_grad_norm,
  });
  checkAllFinite(Float32Array.of(result.gradNorm), [], `${where}, gradient norm`);
  checkAllFinite(result.adapter, policy.adapterTensors, `${where}, adapter after the update`);
  return result;
}

function measure(
  passes: readonly (GradientResult & { readonly gradNorm: number })[],
  { groups, config }: UpdateRequest,
): UpdateFigures {
  const mean = (read: (pass: (typeof passes)[number]) => number): number =>
    passes.reduce((sum, pass) => sum + read(pass), 0) / passes.length;
  const maybeMean = (read: (pass: (typeof passes)[number]) => Maybe): Maybe => meanOf(passes.map(read));
  const differences = groups.flatMap((group, p) =>
    group.completions.flatMap((completion, i) =>
      isInLoss(completion, config)
        ? Array.from(completion.logProbs, (logProb, t) =>
            Math.abs(logProb - (passes[0]?.logProbs[p]?.[i]?.[t] ?? Number.NaN)),
          )
        : [],
    ),
  );
  return {
    loss: mean((pass) => pass.loss),
    gradNorm: mean((pass) => pass.gradNorm),
    entropy: maybeMean((pass) => pass.entropy),
    kl: maybeMean((pass) => pass.kl),
    clipRatio: {
      low: maybeMean((pass) => pass.clipRatio.low),
      high: maybeMean((pass) => pass.clipRatio.high),
      region: maybeMean((pass) => pass.clipRatio.region),
    },
    samplingDifference: {
      mean: meanOf(differences),
      max: differences.length === 0 ? null : differences.reduce((most, each) => Math.max(most, each), 0),
    },
  };
}
