/**
 * A bag-of-phrases policy for trainer tests: a real softmax over a handful of words with real gradients of the
 * GRPO loss, in plain numbers. The adapter is one logit offset per (previous word, next word), so training really
 * moves it; nothing here is scripted. Knows nothing of rewards.
 */
import { PlaygroundError } from "../base/errors.ts";
import type {
  Completion,
  GradientResult,
  LossConfig,
  OptimizerConfig,
  OptimizerResult,
  OptimizerState,
  Policy,
  PromptTokens,
  RolloutRequest,
  TextCodec,
  TrainingGroup,
  TrainingRow,
} from "../training/policy.ts";

/** Words of the fake model; id 0 ends a completion, and is also the word before the first. */
export const FAKE_WORDS = ["<end>", "hello", "sorry", "refund", "please", "thanks", "um", "soon"] as const;
const V = FAKE_WORDS.length;
const END = 0;

/** Tokens sampled between two looks at the abort signal. */
const CHUNK = 4;

export interface FakePolicyOptions {
  /** Called before each chunk of decoding, e.g. to abort from a test. */
  readonly onChunk?: () => void;
  /** Replaces a gradient's result, e.g. by one that is not finite. */
  readonly distortGradient?: (call: number, result: GradientResult) => GradientResult;
}

/** Words in, ids out; a prompt's words that the model does not know are left out. */
export const fakeCodec: TextCodec = {
  encodePrompt: (messages) =>
    Int32Array.from(
      messages
        .flatMap((message) => message.content.split(" "))
        .map((word) => (FAKE_WORDS as readonly string[]).indexOf(word))
        .filter((id) => id >= 0),
    ),
  decode: (tokens) => pieces(tokens).join("").trimStart(),
  decodePieces: pieces,
  endTokenIds: [END],
};

function pieces(tokens: Int32Array): string[] {
  return [...tokens].map((id) => (id === END ? "" : ` ${FAKE_WORDS[id] ?? ""}`));
}

/** Log-probabilities over the next word after `previous`, at a temperature. */
function logSoftmax(adapter: Float32Array | null, previous: number, temperature: number): number[] {
  const logits = Array.from({ length: V }, (_, j) => (adapter?.[previous * V + j] ?? 0) / temperature);
  const max = Math.max(...logits);
  const total = Math.log(logits.reduce((sum, x) => sum + Math.exp(x - max), 0)) + max;
  return logits.map((x) => x - total);
}

function sample(request: RolloutRequest): Completion {
  const tokens: number[] = [];
  const logProbs: number[] = [];
  let previous: number = END;
  while (tokens.length < request.maxTokens) {
    const row = logSoftmax(request.adapter, previous, request.temperature === 0 ? 1 : request.temperature);
    const next = request.temperature === 0 ? row.indexOf(Math.max(...row)) : draw(row, request.uniform());
    tokens.push(next);
    logProbs.push(row[next] ?? Number.NaN);
    previous = next;
    if (next === END) break;
  }
  return { tokens: Int32Array.from(tokens), logProbs: Float32Array.from(logProbs), ended: previous === END };
}

function draw(logProbs: readonly number[], u: number): number {
  let sum = 0;
  for (const [j, logProb] of logProbs.entries()) {
    sum += Math.exp(logProb);
    if (u < sum) return j;
  }
  return logProbs.length - 1;
}

function tokenLogProbs(tokens: Int32Array, adapter: Float32Array | null, temperature: number): Float32Array {
  let previous: number = END;
  return Float32Array.from(tokens, (token) => {
    const logProb = logSoftmax(adapter, previous, temperature)[token] ?? Number.NaN;
    previous = token;
    return logProb;
  });
}

/** d(token loss)/d(log p) of the clipped surrogate and the k3 term, times the token's share of the loss. */
function tokenLoss(
  logProb: number,
  old: number,
  ref: number | null,
  row: { readonly advantage: number; readonly loss: LossConfig },
): { readonly loss: number; readonly slope: number; readonly clipped: boolean; readonly kl: number } {
  const { advantage, loss } = row;
  const ratio = Math.exp(logProb - old);
  const clip = Math.min(Math.max(ratio, 1 - loss.epsilon), 1 + (loss.epsilon_high ?? loss.epsilon));
  const clipped = clip * advantage < ratio * advantage;
  const delta = ref === null ? 0 : ref - logProb;
  const k3 = Math.exp(delta) - delta - 1;
  const factor = loss.use_bias_correction_kl ? ratio : 1;
  const klSlope =
    ref === null ? 0 : factor * (1 - Math.exp(delta)) + (loss.use_bias_correction_kl ? ratio * k3 : 0);
  return {
    loss: -(clipped ? clip : ratio) * advantage + loss.beta * factor * k3,
    slope: -(clipped ? 0 : ratio) * advantage + loss.beta * klSlope,
    clipped,
    kl: k3,
  };
}

function normaliser(row: TrainingRow, rows: readonly TrainingRow[], loss: LossConfig): number {
  if (loss.loss_type === "grpo") return row.tokens.length * rows.length;
  if (loss.loss_type === "dr_grpo") return rows.length * loss.max_completion_length;
  return rows.reduce((sum, each) => sum + each.tokens.length, 0);
}

function gradientOf(
  groups: readonly TrainingGroup[],
  adapter: Float32Array,
  loss: LossConfig,
): GradientResult {
  const rows = groups.flatMap((group) => group.completions);
  const gradient = new Float32Array(V * V);
  const sums = { loss: 0, entropy: 0, kl: 0, clipped: 0, tokens: 0 };
  const rowLogProbs = (row: TrainingRow): Float32Array => {
    const share = 1 / normaliser(row, rows, loss);
    let previous: number = END;
    return Float32Array.from(row.tokens, (token, t) => {
      const all = logSoftmax(adapter, previous, loss.temperature);
      const logProb = all[token] ?? Number.NaN;
      const old = row.oldLogProbs[t] ?? Number.NaN;
      const part = tokenLoss(logProb, old, row.refLogProbs?.[t] ?? null, { advantage: row.advantage, loss });
      for (const [j, other] of all.entries()) {
        const at = previous * V + j;
        const slope = ((j === token ? 1 : 0) - Math.exp(other)) / loss.temperature;
        gradient[at] = (gradient[at] ?? 0) + part.slope * share * slope;
      }
      sums.loss += part.loss * share;
      sums.entropy -= all.reduce((sum, x) => sum + Math.exp(x) * x, 0);
      sums.kl += part.kl;
      sums.clipped += part.clipped ? 1 : 0;
      sums.tokens += 1;
      previous = token;
      return logProb;
    });
  };
  const logProbs = groups.map((group) => group.completions.map(rowLogProbs));
  const region = sums.clipped / sums.tokens;
  return {
    loss: sums.loss,
    gradient,
    logProbs,
    entropy: sums.entropy / sums.tokens,
    kl: loss.beta > 0 ? sums.kl / sums.tokens : null,
    clipRatio: { low: region, high: 0, region },
  };
}

function adamW(
  adapter: Float32Array,
  gradient: Float32Array,
  state: OptimizerState,
  config: OptimizerConfig,
): OptimizerResult {
  const { learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm } = config;
  const gradNorm = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0));
  const scale = gradNorm > maxGradNorm ? maxGradNorm / gradNorm : 1;
  const step = state.step + 1;
  const m = state.m.map((m0, i) => beta1 * m0 + (1 - beta1) * scale * (gradient[i] ?? 0));
  const v = state.v.map((v0, i) => beta2 * v0 + (1 - beta2) * (scale * (gradient[i] ?? 0)) ** 2);
  const next = adapter.map((p, i) => {
    const mHat = (m[i] ?? 0) / (1 - beta1 ** step);
    const vHat = (v[i] ?? 0) / (1 - beta2 ** step);
    return p * (1 - learningRate * weightDecay) - (learningRate * mHat) / (Math.sqrt(vHat) + epsilon);
  });
  return { adapter: next, state: { m, v, step }, gradNorm };
}

/** The policy; it ignores the prompt, as a bag of phrases does. */
export function createFakePolicy(options: FakePolicyOptions = {}): Policy {
  let gradientCalls = 0;
  return {
    adapterSize: V * V,
    initialAdapter: (uniform) => Float32Array.from({ length: V * V }, () => 0.02 * (uniform() - 0.5)),
    rollout: (request) => Promise.resolve().then(() => rollout(request, options.onChunk)),
    gradient: (groups, adapter, loss) => {
      const result = gradientOf(groups, adapter, loss);
      gradientCalls += 1;
      return Promise.resolve(options.distortGradient?.(gradientCalls, result) ?? result);
    },
    logProbs: (groups, adapter, temperature) =>
      Promise.resolve(
        groups.map((group) => group.completions.map((tokens) => tokenLogProbs(tokens, adapter, temperature))),
      ),
    optimize: (adapter, gradient, state, config) => Promise.resolve(adamW(adapter, gradient, state, config)),
    dispose: () => Promise.resolve(),
  };
}

function rollout(request: RolloutRequest, onChunk: (() => void) | undefined): Completion[][] {
  let sampled = 0;
  const one = (_: PromptTokens): Completion[] =>
    Array.from({ length: request.groupSize }, () => {
      onChunk?.();
      if (request.signal?.aborted === true) throw abortedInRollout();
      const completion = sample(request);
      sampled += completion.tokens.length;
      if (sampled >= CHUNK) request.onProgress?.(sampled);
      return completion;
    });
  return request.prompts.map(one);
}

function abortedInRollout(): PlaygroundError {
  return new PlaygroundError({
    code: "aborted",
    where: "rollout",
    expected: "to finish sampling",
    got: "a request to stop",
    next: "Nothing is lost.",
  });
}
