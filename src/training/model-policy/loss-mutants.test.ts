/**
 * Every slip in the loss as a graph is noticed: each of its nodes is left out or exchanged, and on TRL's completions,
 * under every combination of options, loss or gradient must leave the plain-number loss, which TRL's own numbers hold
 * to 1e-9, by more than loss-parity.test.ts allows.
 */
import { expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import {
  referenceLoss,
  tokenWeights,
  type LossResult,
  type ReferenceLossConfig,
} from "../../domain/grpo/reference-loss.ts";
import { gradients } from "../../engine/graph/autodiff.ts";
import { interpret } from "../../engine/graph/interpreter.ts";
import { Graph } from "../../engine/graph/ir.ts";
import { grpoTokenLoss, type GrpoLossSettings } from "../../engine/nn/grpo-loss.ts";
import { nodeMutants } from "../../testing/graph/node-mutants.ts";
import { lossRowsOf, trlSteps, type TrlStep } from "../../testing/trl-fixtures.ts";

type Feeds = Readonly<Record<string, readonly number[]>>;

/** Outside the loss stands what would overflow in it: e^1000. */
const FAR = 1000;

/** Every token of the step, one of padding first; a last sequence has none. */
function feedsOf(step: TrlStep): Feeds {
  const rows = lossRowsOf(step);
  const weights = tokenWeights(
    rows.map((row) => ({ tokens: row.logProbs.length, inLoss: row.inLoss })),
    step.config,
  );
  const tokens = rows.flatMap((row, i) =>
    Array.from(row.logProbs, (logProb, t) => ({
      logProb,
      old: row.inLoss ? defined(row.oldLogProbs[t], "old") : logProb - FAR,
      ref: row.inLoss ? defined(row.refLogProbs?.[t], "ref") : logProb + FAR,
      advantage: row.advantage,
      weight: defined(weights[i], "weight"),
      row: i,
    })),
  );
  tokens.unshift({ logProb: 0, old: -FAR, ref: FAR, advantage: 0, weight: 0, row: -1 });
  const column = (of: (token: (typeof tokens)[number]) => number): number[] => tokens.map(of);
  return {
    logProbs: column(({ logProb }) => logProb),
    oldLogProbs: column(({ old }) => old),
    refLogProbs: column(({ ref }) => ref),
    advantages: column(({ advantage }) => advantage),
    weights: column(({ weight }) => weight),
    sequences: [...rows.keys(), rows.length].flatMap((i) => column(({ row }) => Number(row === i))),
  };
}

function settingsOf({ config, rows }: TrlStep): GrpoLossSettings {
  return {
    epsilonLow: config.epsilon,
    epsilonHigh: config.epsilon_high ?? config.epsilon,
    delta: config.delta,
    beta: config.beta,
    biasCorrection: config.use_bias_correction_kl,
    sequences: config.importance_sampling_level === "token" ? null : (trlSteps.rows[rows]?.length ?? 0) + 1,
  };
}

function lossGraph(step: TrlStep, tokens: number): Graph {
  const graph = new Graph("loss");
  graph.output("loss", grpoTokenLoss(graph, graph.input("logProbs", "float32", [tokens]), settingsOf(step)));
  return graph;
}

/** Loss and gradient by the graph, as far as the tolerances of loss-parity.test.ts see them. */
function agrees(graph: Graph, feeds: Feeds, reference: LossResult): boolean {
  const [logProbs] = graph.inputs;
  const loss = defined(graph.outputs[0], "loss").value;
  graph.output("gradient", defined(gradients(loss, [defined(logProbs, "logProbs")])[0], "gradient"));
  const got = interpret(graph, feeds);
  const wanted = [0, ...reference.gradient.flat()];
  const size = wanted.reduce((sum, value) => sum + Math.abs(value), 0);
  const close = (a: number, b: number, floor: number): boolean =>
    Math.abs(a - b) <= 1e-5 * Math.abs(b) + floor;
  return (
    close(got["loss"]?.data[0] ?? NaN, reference.loss, 1e-6 * size) &&
    wanted.every((value, i) => close(got["gradient"]?.data[i] ?? NaN, value, 2e-8))
  );
}

/** False agreement, or a graph that no longer leads from the log-probabilities to the loss. */
function notices(agrees: () => boolean): boolean {
  try {
    return !agrees();
  } catch (error) {
    if (error instanceof PlaygroundError) return true;
    throw error;
  }
}

/** The options that change the formula, all combined. */
const FORMULAS: readonly Partial<ReferenceLossConfig>[] = (["token", "sequence"] as const).flatMap((level) =>
  [null, 1.5].flatMap((delta) =>
    [[0, false] as const, [0.1, false] as const, [0.1, true] as const].map(([beta, bias]) => ({
      importance_sampling_level: level,
      delta,
      beta,
      use_bias_correction_kl: bias,
    })),
  ),
);

/** Completions of each kind, truncated ones in and out of the loss, within TRL's usual bounds and within close ones. */
const STEPS = Object.keys(trlSteps.rows).flatMap((rows) =>
  [false, true].flatMap((mask) =>
    trlSteps.cases
      .filter((step) => step.rows === rows && step.mask_truncated_completions === mask)
      .slice(0, 1)
      .flatMap((step) => [step, { ...step, config: { ...step.config, epsilon: 0.01 } }]),
  ),
);

/** Slips that change nothing. */
const EQUIVALENT = ["clip 2: no lower bound"]; // of min(ratio, delta): a ratio is above 0

it.each(FORMULAS.map((formula) => [JSON.stringify(formula), formula] as const))(
  "no slip in the loss goes unnoticed: %s",
  (_, formula) => {
    const noticed = new Map<string, boolean>();
    for (const given of STEPS) {
      const step = { ...given, config: { ...given.config, ...formula } };
      const feeds = feedsOf(step);
      const tokens = defined(feeds["logProbs"], "logProbs").length;
      const reference = referenceLoss(lossRowsOf(step), step.config);
      const graph = lossGraph(step, tokens);
      const mutants = nodeMutants(graph);
      expect(agrees(graph, feeds, reference), step.name).toBe(true);
      for (const { title, apply } of mutants) {
        if (noticed.get(title) === true) continue;
        const mutant = lossGraph(step, tokens);
        apply(mutant);
        noticed.set(
          title,
          notices(() => agrees(mutant, feeds, reference)),
        );
      }
    }
    expect(noticed.size).toBeGreaterThan(20);
    const survivors = [...noticed].flatMap(([title, is]) => (is ? [] : [title]));
    expect(survivors).toEqual(formula.delta === null ? [] : EQUIVALENT);
  },
);
