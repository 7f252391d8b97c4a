/** From verdicts to rows: evaluations, criterion rows, step metrics and the step's facts. */
import { describe, expect, it } from "vitest";
import { makeCriteria, vectorCriteria, vectorVerdicts } from "../../testing/criteria.ts";
import { stepMetrics, type UpdateFigures } from "../grpo/metrics.ts";
import { scoreGroups } from "../reward/score-groups.ts";
import { extendFlagWindow } from "../rubric/flags.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { VerdictMatrix } from "../rubric/verdicts.ts";
import { criterionSteps } from "./criterion-steps.ts";
import { evaluateAnswers, learningAtStart } from "./evaluation.ts";
import type { ArmStep } from "./records.ts";
import type { RewardRuleName } from "./spec.ts";
import { stepFacts } from "./step-facts.ts";

const UPDATE: UpdateFigures = {
  loss: 0.5,
  gradNorm: 0.1,
  entropy: 1.5,
  kl: null,
  clipRatio: { low: 0, high: 0.1, region: 0.1 },
  samplingDifference: { mean: 0.001, max: 0.01 },
};

const COMPLETIONS = [
  { length: 10, ended: true },
  { length: 20, ended: true },
  { length: 72, ended: false },
];

/** One step of one arm over given groups, as the trainer puts it together. */
function stepOf(
  rule: RewardRuleName,
  criteria: readonly Criterion[],
  verdicts: readonly VerdictMatrix[],
  completions = COMPLETIONS,
): ArmStep {
  const alpha = criteria.map(() => 1);
  const groups = scoreGroups(
    rule,
    criteria,
    verdicts.map((matrix) => ({ verdicts: matrix, alpha })),
    { scale_rewards: "group", zero_spread_tolerance: 1e-6 },
  );
  const steps = criterionSteps({
    rule,
    criteria,
    groups: verdicts.map((matrix) => ({ criteria, verdicts: matrix, verdictsBeforeNoise: matrix, alpha })),
    flags: extendFlagWindow({}, criteria, verdicts, 0),
    judgeNoise: 0,
  });
  const metrics = stepMetrics({
    criteria,
    groups,
    judged: verdicts.map((matrix) => ({ criteria, verdicts: matrix })),
    criterionSteps: steps,
    completions,
    update: UPDATE,
    learningRate: 2e-3,
    numTokens: 1000,
    stepTimeS: 0.7,
  });
  return {
    kind: "step",
    arm: "one",
    step: 1,
    rubricVersion: 1,
    promptIds: ["p"],
    metrics,
    criteria: steps,
    teachingShare: metrics["rubric/teaching_share"] ?? 0,
    zeroSignal: groups.every((group) => group.advantages.every((value) => value === 0)),
  };
}

describe("an evaluation", () => {
  const input = {
    arm: "one",
    step: 10,
    rubricVersion: 1,
    criteria: vectorCriteria,
    verdicts: vectorVerdicts,
    promptIds: ["p", "p", "q", "q"],
    lengths: [10, 20, 30, 40],
    learning: learningAtStart(vectorCriteria, vectorVerdicts),
  };

  it("has the test vector's numbers by the human weights", () => {
    const evaluation = evaluateAnswers(input);
    expect(evaluation.score).toBeCloseTo((0.857143 * 2 + 0.357143 + 0.642857) / 4, 6);
    expect(evaluation.balancedScore).toBeCloseTo(0.7, 12);
    expect(evaluation.strictCompletion).toBe(0);
    expect(evaluation.categories).toEqual({ A: 0.65, B: 0.75 });
    expect(evaluation.criteria.map((criterion) => criterion.passRate)).toEqual([1, 0.5, 0, 0.75]);
    expect(evaluation.meanLength).toBe(25);
    expect(evaluation.samples).toBe(4);
  });

  it("follows the criteria that were neither dead nor saturated at step 0", () => {
    expect(evaluateAnswers(input).learningPassRate).toBe(0.625);
    const better = evaluateAnswers({ ...input, verdicts: [[0, 1, 1, 1]] });
    expect(better.learningPassRate).toBe(1);
    const reworded = vectorCriteria.map((criterion) => ({ ...criterion, text: `${criterion.text} now` }));
    expect(evaluateAnswers({ ...input, criteria: reworded }).learningPassRate).toBeNull();
  });

  it("asks for the required criteria, and for all where none is marked", () => {
    const required = vectorCriteria.map((criterion, j) => ({ ...criterion, required: j === 0 || j === 3 }));
    expect(evaluateAnswers({ ...input, criteria: required }).strictCompletion).toBe(0.75);
  });

  it("leaves what was not judged missing", () => {
    const evaluation = evaluateAnswers({ ...input, verdicts: [[null, null, null, null]], lengths: [5] });
    expect(evaluation).toMatchObject({
      score: null,
      balancedScore: null,
      strictCompletion: null,
      learningPassRate: null,
    });
    expect(evaluation.categories).toEqual({ A: null, B: null });
  });
});

describe("the metrics of a step", () => {
  const vectorMetrics = () => stepOf("static-scalar", vectorCriteria, [vectorVerdicts]).metrics;

  it("carry TRL's names", () => {
    const metrics = vectorMetrics();
    expect(metrics["reward"]).toBeCloseTo(0.678571, 6);
    // numpy.std([12/14, 5/14, 12/14, 9/14], ddof=1)
    expect(metrics["reward_std"]).toBeCloseTo(0.2369018, 6);
    expect(metrics["rewards/A/mean"]).toBeCloseTo(0.65, 12);
    expect(metrics["rewards/B/std"]).toBe(0.5);
    expect(metrics).toMatchObject({
      frac_reward_zero_std: 0,
      "completions/mean_length": 34,
      "completions/min_length": 10,
      "completions/max_length": 72,
      "completions/mean_terminated_length": 15,
      "clip_ratio/high_mean": 0.1,
      "sampling/sampling_logp_difference/max": 0.01,
      entropy: 1.5,
      kl: null,
      grad_norm: 0.1,
      learning_rate: 2e-3,
      num_tokens: 1000,
      step_time: 0.7,
    });
    expect(metrics["completions/clipped_ratio"]).toBeCloseTo(1 / 3, 12);
  });

  it("carry ours per criterion", () => {
    const metrics = vectorMetrics();
    expect(metrics["criteria/c1/mean"]).toBe(0.5);
    expect(metrics["criteria/c1/std"]).toBe(0.5);
    expect(metrics["criteria/c1/alpha"]).toBe(1);
    expect(metrics["criteria/c1/pressure"]).toBeCloseTo(3 / 14, 12);
    expect(metrics["strict_completion"]).toBe(0);
  });

  it("carry the rubric's own", () => {
    const metrics = vectorMetrics();
    // 3/14 sqrt(.25) + 4/14 sqrt(.1875), and numpy.corrcoef([5, 3, 2, 4], [0, .25, 0, .1875])
    expect(metrics["rubric/contrast_pressure"]).toBeCloseTo(0.2308608, 6);
    expect(metrics["rubric/weight_variance_correlation"]).toBeCloseTo(-0.0626224, 6);
    const unjudged = stepOf("static-scalar", vectorCriteria, [[[null, null, null, null]]]).metrics;
    expect(unjudged["rubric/contrast_pressure"]).toBeNull();
  });

  it("count groups solved by all, some or none of their rollouts", () => {
    const criteria = makeCriteria([1], "A");
    const groups: VerdictMatrix[] = [
      [[1], [1]],
      ...Array.from({ length: 2 }, () => [[1], [0]]),
      ...Array.from({ length: 5 }, () => [[0], [0]]),
      [[null], [null]],
    ];
    const step = stepOf("binary", criteria, groups);
    expect(step.metrics).toMatchObject({
      "groups/solved_all": 1 / 8,
      "groups/mixed": 2 / 8,
      "groups/solved_none": 5 / 8,
      frac_reward_zero_std: 6 / 9,
    });
  });

  it("are all finite or missing, also where nothing was judged", () => {
    const unjudged = vectorVerdicts.map((row) => row.map(() => null));
    const step = stepOf("pow3r", vectorCriteria, [unjudged], [{ length: 72, ended: false }]);
    const broken = Object.entries(step.metrics).filter(
      ([, value]) => value !== null && !Number.isFinite(value),
    );
    expect(broken).toEqual([]);
    expect(step.metrics["reward"]).toBeNull();
    expect(step.metrics["groups/mixed"]).toBeNull();
    expect(step.metrics["completions/min_terminated_length"]).toBeNull();
  });
});

describe("the criterion rows", () => {
  it("hold rates with and without noise, within-group variance, and the mean of several alphas", () => {
    const criteria = makeCriteria([1, 1], "AA");
    const groups = [
      {
        criteria,
        verdicts: [
          [1, 1],
          [1, null],
        ],
        verdictsBeforeNoise: [
          [1, 1],
          [0, null],
        ],
        alpha: [1, 1],
      },
      {
        criteria,
        verdicts: [
          [0, null],
          [0, null],
        ],
        verdictsBeforeNoise: [
          [0, null],
          [0, null],
        ],
        alpha: [3, 1],
      },
    ];
    const [first, second] = criterionSteps({ rule: "pow3r", criteria, groups, flags: {}, judgeNoise: 0.1 });
    expect(first).toMatchObject({
      passRate: 0.5,
      passRateBeforeNoise: 0.25,
      variance: 0,
      alpha: 2,
      state: "unseen",
      judged: 4,
    });
    // half of the first group's reward, all of the second's, where nobody judged the other
    expect(first?.pressure).toBeCloseTo((1 / 2 + 1) / 2, 12);
    expect(second).toMatchObject({ passRate: 1, judged: 1 });
  });
});

describe("the pressure of a criterion that nobody judged", () => {
  const shares = (rule: RewardRuleName, row: readonly (number | null)[]) =>
    stepOf(rule, vectorCriteria, [[row, row]]).criteria.map((criterion) => criterion.pressure);

  it("is 0, and the others share the reward without it, as the sums do", () => {
    // weights 5, 3, 2 | 4
    expect(shares("static-scalar", [1, null, 0, 1])).toEqual([5 / 11, 0, 2 / 11, 4 / 11]);
    expect(shares("category-balanced", [1, 0, 0, null])).toEqual([0.5, 0.3, 0.2, 0]);
    expect(shares("pow3r", [null, null, null, null])).toEqual([0, 0, 0, 0]);
  });
});

describe("what a step taught", () => {
  const many = (row: readonly (number | null)[], other = row): VerdictMatrix =>
    Array.from({ length: 32 }, (_, i) => (i % 2 === 0 ? row : other));

  it("is told by states, shares and the criterion that teaches most", () => {
    const step = stepOf("category-balanced", vectorCriteria, [many([1, 1, 0, 1], [1, 0, 0, 0])]);
    const facts = stepFacts(step, vectorCriteria);
    expect(facts.counts).toEqual({ dead: 1, saturated: 1, learning: 2, unseen: 0 });
    expect(facts.staticShares.dead).toBeCloseTo(2 / 14, 12);
    expect(facts.staticShares.saturated).toBeCloseTo(5 / 14, 12);
    expect(facts.balancedShares.learning).toBeCloseTo(0.65, 12);
    expect(facts.ownShares).toEqual(facts.balancedShares);
    expect(facts.teachesMost).toBe("c3");
    expect(facts.misleadsMost).toBeNull();
    expect(facts.noSignal).toBeNull();
    expect(step.teachingShare).toBeCloseTo(0.65, 12);
  });

  it("is not credited to a criterion that only judge errors made differ", () => {
    const step = stepOf("category-balanced", vectorCriteria, [many([1, 1, 0, 1], [1, 0, 0, 0])]);
    const before = (id: string, passRateBeforeNoise: number): ArmStep => ({
      ...step,
      criteria: step.criteria.map((row) => (row.id === id ? { ...row, passRateBeforeNoise } : row)),
    });
    const flipped = stepFacts(before("c3", 0), vectorCriteria);
    expect(flipped).toMatchObject({
      teachesMost: "c1",
      misleadsMost: { id: "c3", passRateBeforeNoise: 0 },
    });
    // half of the verdicts pass; a true rate of .1 explains .09 of the variance of .25, one of .2 explains .16
    expect(stepFacts(before("c3", 0.1), vectorCriteria).misleadsMost?.id).toBe("c3");
    expect(stepFacts(before("c3", 0.2), vectorCriteria).misleadsMost).toBeNull();
    expect(stepFacts(before("c1", 0), vectorCriteria)).toMatchObject({
      teachesMost: "c3",
      misleadsMost: null,
    });
  });

  it("counts the step's own criteria, whatever the rubric holds by now", () => {
    const step = stepOf("category-balanced", vectorCriteria, [many([1, 1, 0, 1], [1, 0, 0, 0])]);
    expect(stepFacts(step, []).counts).toEqual({ dead: 1, saturated: 1, learning: 2, unseen: 0 });
  });

  it.each([
    ["verdicts-equal", "static-scalar", many([1, 1, 0, 1])],
    ["rewards-equal", "binary", many([1, 1, 0, 1], [0, 0, 0, 1])],
    ["not-judged", "pow3r", many([null, null, null, null])],
    [
      "one-scored",
      "static-scalar",
      [
        [1, 1, 1, 1],
        [null, null, null, null],
      ],
    ],
  ] as const)("names %s as the reason for no signal", (reason, rule, verdicts) => {
    const facts = stepFacts(stepOf(rule, vectorCriteria, [verdicts]), vectorCriteria);
    expect(facts.noSignal).toBe(reason);
  });

  it("names truncation where no token was in the loss", () => {
    const step = stepOf("static-scalar", vectorCriteria, [many([1, 1, 0, 1], [1, 0, 0, 0])]);
    const masked = { ...step, metrics: { ...step.metrics, entropy: null }, zeroSignal: true };
    expect(stepFacts(masked, vectorCriteria).noSignal).toBe("all-truncated");
  });
});
