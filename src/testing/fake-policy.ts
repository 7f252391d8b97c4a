/**
 * A bag-of-phrases policy for trainer tests: a real softmax over a handful of words with real gradients of the
 * GRPO loss, in plain numbers. The adapter is one logit offset per (previous word, next word), so training really
 * moves it; nothing here is scripted. Knows nothing of rewards.
 */
import { PlaygroundError } from "../base/errors.ts";
import { adamwStep, clipByGlobalNorm } from "../domain/grpo/adamw.ts";
import { lossTokenMean, referenceLoss } from "../domain/grpo/reference-loss.ts";
import type {
  Completion,
  GradientResult,
  LossConfig,
  OptimizerConfig,
  OptimizerResult,
  OptimizerState,
  Policy,
  RolloutRequest,
  TextCodec,
  TrainingGroup,
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

/** The plain-number loss of the domain, chained into the softmax: d log p(t) / d logit j = (1[j = t] - p_j) / T. */
function gradientOf(
  groups: readonly TrainingGroup[],
  adapter: Float32Array,
  loss: LossConfig,
): GradientResult {
  const rows = groups.flatMap((group) => group.completions);
  const logProbs = rows.map((row) => tokenLogProbs(row.tokens, adapter, loss.temperature));
  const lossRows = rows.map((row, i) => ({
    ...row,
    logProbs: logProbs[i] ?? [],
    inLoss: row.inLoss !== false,
  }));
  const result = referenceLoss(lossRows, loss);
  const gradient = new Float32Array(V * V);
  const entropies: number[][] = rows.map(() => []);
  rows.forEach((row, i) => {
    let previous: number = END;
    row.tokens.forEach((token, t) => {
      const all = logSoftmax(adapter, previous, loss.temperature);
      for (const [j, logProb] of all.entries()) {
        const slope = ((j === token ? 1 : 0) - Math.exp(logProb)) / loss.temperature;
        const at = previous * V + j;
        gradient[at] = (gradient[at] ?? 0) + (result.gradient[i]?.[t] ?? Number.NaN) * slope;
      }
      entropies[i]?.push(-all.reduce((sum, logProb) => sum + Math.exp(logProb) * logProb, 0));
      previous = token;
    });
  });
  const byRow = [...logProbs];
  return {
    loss: result.loss,
    gradient,
    logProbs: groups.map((group) => byRow.splice(0, group.completions.length)),
    entropy: lossTokenMean(lossRows, entropies),
    kl: result.kl,
    clipRatio: result.clipRatio,
  };
}

function adamW(
  adapter: Float32Array,
  gradient: Float32Array,
  state: OptimizerState,
  config: OptimizerConfig,
): OptimizerResult {
  const clipped = clipByGlobalNorm([...gradient], config.maxGradNorm);
  const next = adamwStep(
    { parameters: [...adapter], m: [...state.m], v: [...state.v], step: state.step },
    clipped.gradient,
    {
      learningRate: config.learningRate,
      adam_beta1: config.beta1,
      adam_beta2: config.beta2,
      adam_epsilon: config.epsilon,
      weight_decay: config.weightDecay,
    },
  );
  return {
    adapter: Float32Array.from(next.parameters),
    state: { m: Float32Array.from(next.m), v: Float32Array.from(next.v), step: next.step },
    gradNorm: clipped.norm,
  };
}

/** The policy; it ignores the prompt, as a bag of phrases does. */
export function createFakePolicy(options: FakePolicyOptions = {}): Policy {
  let gradientCalls = 0;
  return {
    adapterSize: V * V,
    adapterTensors: FAKE_WORDS.map((word, i) => ({ name: `after ${word}`, offset: i * V, length: V })),
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
    nextTokens: (groups, words) =>
      Promise.resolve(
        groups.map((group) =>
          group.completions.map((tokens) => {
            const after = logSoftmax(null, tokens.at(-1) ?? END, 1);
            return Float32Array.from(words, (word) => after[word] ?? Number.NaN);
          }),
        ),
      ),
    optimize: (adapter, gradient, state, config) => Promise.resolve(adamW(adapter, gradient, state, config)),
    dispose: () => Promise.resolve(),
  };
}

function rollout(request: RolloutRequest, onChunk: (() => void) | undefined): Completion[][] {
  let sampled = 0;
  return request.prompts.map(() =>
    Array.from({ length: request.groupSize }, () => {
      onChunk?.();
      if (request.signal?.aborted === true) throw abortedInRollout();
      const completion = sample(request);
      sampled += completion.tokens.length;
      if (sampled >= CHUNK) request.onProgress?.(sampled);
      return completion;
    }),
  );
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
