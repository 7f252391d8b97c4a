/**
 * POW3R's alpha (arXiv 2605.20164): the factor that moves weight within a category towards criteria whose verdicts
 * differ among the policy's own rollouts. methods.md section 1, "The update of alpha". Values are plain and serialisable.
 *
 * 1. Alpha per prompt [paper] or one for all prompts that share the rubric [ours]; then v_j is the mean of the
 *    within-group variances.
 * 2. A group with too few verdicts of a criterion says nothing about it; with no group left alpha keeps its value [paper]
 *    and stays out of the category's mean contrast [ours].
 * 3. lambda, the bounds, beta_ema and eps were not published; the defaults are [ours].
 * 4. Updates after every step ("step"), or every few of them (`alpha_interval`), are [ours]; the paper updates after an
 *    epoch.
 */
import { rewardedByCategory } from "../rubric/criteria.ts";
import { columnOf, populationVariance, present, type Maybe } from "../rubric/moments.ts";
import { criterionIdentity, type Criterion } from "../rubric/schema.ts";
import type { VerdictMatrix } from "../rubric/verdicts.ts";
import type { Pow3rConfig } from "../run/spec.ts";

/** Within-group variances seen since the last update. */
interface PendingVariance {
  readonly sum: number;
  readonly groups: number;
}

type ByIdentity<T> = Readonly<Record<string, T>>;

/** Scope key -> criterion identity -> value. A criterion that is not there yet stands at alpha 1. */
export interface Pow3rState {
  readonly alphas: Readonly<Record<string, ByIdentity<number>>>;
  readonly pending: Readonly<Record<string, ByIdentity<PendingVariance>>>;
  /** Steps that wait for the end of an `alpha_interval`; not there where none does. */
  readonly waiting?: number;
}

/** One group's verdicts, as trained on, in the rubric's order. */
export interface AlphaObservation {
  readonly scopeKey: string;
  readonly verdicts: VerdictMatrix;
}

export function initialPow3rState(): Pow3rState {
  return { alphas: {}, pending: {} };
}

/** Where a prompt's alpha is kept. */
export function scopeKeyOf(promptId: string, config: Pick<Pow3rConfig, "alpha_scope">): string {
  return config.alpha_scope === "scenario" ? "scenario" : `prompt:${promptId}`;
}

/** a_j in the rubric's order. Unchanged criteria keep theirs through a rubric edit, new ones start at 1. */
export function alphaFor(state: Pow3rState, scopeKey: string, criteria: readonly Criterion[]): number[] {
  const alphas = state.alphas[scopeKey] ?? {};
  return criteria.map((criterion) => alphas[criterionIdentity(criterion)] ?? 1);
}

/**
 * The state after a step's groups were scored. With `alpha_update: "step"` the next step sees the new alpha; with
 * "epoch" the observations wait for `endEpoch`, with an `alpha_interval` for its last step. Call it after scoring: a step is never scored with its own alpha.
 */
export function updateAlpha(
  state: Pow3rState,
  observations: readonly AlphaObservation[],
  criteria: readonly Criterion[],
  config: Pow3rConfig,
): Pow3rState {
  let next = state;
  for (const observation of observations) next = withObservation(next, observation, criteria, config);
  if (config.alpha_update === "epoch") return next;
  const waiting = (state.waiting ?? 0) + 1;
  return waiting < config.alpha_interval ? { ...next, waiting } : applyPending(next, criteria, config);
}

/** The state after an epoch: with `alpha_update: "epoch"`, what was observed since the last one moves alpha. */
export function endEpoch(state: Pow3rState, criteria: readonly Criterion[], config: Pow3rConfig): Pow3rState {
  return config.alpha_update === "epoch" ? applyPending(state, criteria, config) : state;
}

function withObservation(
  state: Pow3rState,
  { scopeKey, verdicts }: AlphaObservation,
  criteria: readonly Criterion[],
  config: Pow3rConfig,
): Pow3rState {
  const pending = { ...state.pending[scopeKey] };
  criteria.forEach((criterion, index) => {
    const column = columnOf(verdicts, index);
    const variance = populationVariance(column);
    if (variance === null || present(column).length < config.min_valid_share * verdicts.length) return;
    const identity = criterionIdentity(criterion);
    const { sum, groups } = pending[identity] ?? { sum: 0, groups: 0 };
    pending[identity] = { sum: sum + variance, groups: groups + 1 };
  });
  return { ...state, pending: { ...state.pending, [scopeKey]: pending } };
}

function applyPending(state: Pow3rState, criteria: readonly Criterion[], config: Pow3rConfig): Pow3rState {
  const alphas = { ...state.alphas };
  for (const [scopeKey, pending] of Object.entries(state.pending)) {
    const variances = criteria.map((criterion) => {
      const seen = pending[criterionIdentity(criterion)];
      return seen === undefined ? null : seen.sum / seen.groups;
    });
    const before = alphaFor(state, scopeKey, criteria);
    const after = nextAlpha({ criteria, variances, alpha: before }, config);
    const moved = criteria.map(
      (criterion, index) => [criterionIdentity(criterion), after[index] ?? 1] as const,
    );
    alphas[scopeKey] = { ...alphas[scopeKey], ...Object.fromEntries(moved) };
  }
  return { alphas, pending: {} };
}

/** What one update reads, all in the rubric's order; a missing variance means too few verdicts. */
export interface AlphaUpdate {
  readonly criteria: readonly Criterion[];
  readonly variances: readonly Maybe[];
  readonly alpha: readonly number[];
}

/** The update itself: contrast, ratio to the category's mean contrast, mixing, clipping, moving average. */
export function nextAlpha({ criteria, variances, alpha }: AlphaUpdate, config: Pow3rConfig): number[] {
  const next = [...alpha];
  for (const indices of rewardedByCategory(criteria).values()) {
    const seen = indices.flatMap((index) => {
      const variance = variances[index] ?? null;
      return variance === null ? [] : [{ index, variance, contrast: Math.sqrt(variance + config.epsilon) }];
    });
    const weightOf = (index: number): number => criteria[index]?.weight ?? 0;
    const mass = seen.reduce((sum, { index }) => sum + weightOf(index), 0);
    const meanContrast =
      seen.reduce((sum, { index, contrast }) => sum + weightOf(index) * contrast, 0) / mass;
    const flat = seen.every(({ variance }) => variance === 0);
    for (const { index, contrast } of seen) {
      const ratio = flat ? 1 : contrast / meanContrast;
      const target = clip(1 - config.lambda + config.lambda * ratio, config);
      next[index] = clip((1 - config.beta_ema) * (alpha[index] ?? 1) + config.beta_ema * target, config);
    }
  }
  return next;
}

function clip(value: number, { alpha_min, alpha_max }: Pow3rConfig): number {
  return Math.min(alpha_max, Math.max(alpha_min, value));
}
