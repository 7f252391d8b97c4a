import { describe, expect, test } from "vitest";
import { criterionIdentity } from "../domain/rubric/schema.ts";
import type { ArmStep, Evaluation, RunRow } from "../domain/run/records.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { FAKE_WORDS, type FakePolicyOptions } from "../testing/fake-policy.ts";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import { openRecord, sealRecord } from "./checkpoints.ts";
import type { GradientResult } from "./policy.ts";
import { createRunRecord, type RunRecord } from "./run-record.ts";
import { Trainer } from "./trainer.ts";

function fresh(spec: RunSpec, options: FakePolicyOptions = {}): Trainer {
  const deps = fakeDeps(options);
  return new Trainer(deps, createRunRecord("run", spec, deps.policy));
}

async function advance(trainer: Trainer, toStep: number): Promise<void> {
  await trainer.evaluate();
  while (trainer.record.step < toStep) {
    await trainer.step();
    await trainer.evaluate();
  }
}

async function trained(spec: RunSpec, steps = spec.grpo.max_steps): Promise<RunRecord> {
  const trainer = fresh(spec);
  await advance(trainer, steps);
  return trainer.record;
}

const evaluations = (rows: readonly RunRow[], arm: string): Evaluation[] =>
  rows.filter((row): row is Evaluation => row.kind === "evaluation" && row.arm === arm);
const steps = (rows: readonly RunRow[], arm: string): ArmStep[] =>
  rows.filter((row): row is ArmStep => row.kind === "step" && row.arm === arm);

describe("training", () => {
  test("raises the held-out score of every rule", async () => {
    const rules = ["pow3r", "static-scalar", "category-balanced", "gdpo", "binary"] as const;
    const arms = rules.map((rule) => ({ id: rule, rule, pow3r: {} }));
    const required = fakeSpec().rubric.criteria.map((each) => ({ ...each, required: each.id === "refund" }));
    const spec = fakeSpec({ arms, rubric: { title: "Fake", criteria: required } }, { max_steps: 40 });
    const { rows } = await trained(spec);
    for (const arm of rules) {
      const read = arm === "binary" ? "strictCompletion" : "score";
      const scores = evaluations(rows, arm).map((row) => row[read] ?? Number.NaN);
      expect((scores.at(-1) ?? 0) - (scores[0] ?? 1), arm).toBeGreaterThan(0.15);
    }
  });

  test("gives the same numbers for the same seed, and others for another", async () => {
    const one = await trained(fakeSpec());
    expect(await trained(fakeSpec())).toEqual(one);
    const other = await trained(fakeSpec({ seed: 8 }));
    expect(other.arms[0]?.adapter).not.toEqual(one.arms[0]?.adapter);
  });

  test("trains each arm as if it were alone", async () => {
    const spec = fakeSpec();
    const both = await trained(spec);
    for (const arm of spec.arms) {
      const alone = await trained({ ...spec, arms: [arm] });
      expect(both.arms.find((each) => each.id === arm.id)).toEqual(alone.arms[0]);
      expect(steps(both.rows, arm.id)).toEqual(steps(alone.rows, arm.id));
      expect(evaluations(both.rows, arm.id)).toEqual(evaluations(alone.rows, arm.id));
    }
  });

  test("evaluates at step 0, every N steps and at the end, the base once for all arms", async () => {
    let rollouts = 0;
    const trainer = fresh(fakeSpec(), { onChunk: () => rollouts++ });
    await trainer.evaluate();
    expect(rollouts).toBe(32);
    const [base, sameBase] = trainer.record.rows as Evaluation[];
    expect(sameBase).toEqual({ ...base, arm: "static" });
    await advance(trainer, 12);
    expect(evaluations(trainer.record.rows, "static").map((row) => row.step)).toEqual([0, 5, 10, 12]);
  });

  test("moves alpha only where the rule learns it, and scores a step with the alpha of earlier steps", async () => {
    const { rows } = await trained(fakeSpec());
    const pow3r = steps(rows, "pow3r").map((row) => row.criteria.map((criterion) => criterion.alpha));
    expect(pow3r[0]).toEqual([1, 1, 1, 1, 1]);
    expect(pow3r.at(-1)).not.toEqual([1, 1, 1, 1, 1]);
    for (const row of steps(rows, "static"))
      expect(row.criteria.map((each) => each.alpha)).toEqual([1, 1, 1, 1, 1]);
  });

  test("keeps alpha for a whole epoch where the method says so", async () => {
    const arms = [{ id: "pow3r", rule: "pow3r", pow3r: { alpha_update: "epoch" } }];
    const { rows } = await trained(fakeSpec({ arms }));
    const alphas = steps(rows, "pow3r").map((row) => row.criteria.map((criterion) => criterion.alpha).join());
    expect(new Set(alphas.slice(0, 3)).size).toBe(1);
    expect(alphas[3]).not.toBe(alphas[2]);
    expect(new Set(alphas.slice(3, 6)).size).toBe(1);
  });

  test("trains on the old log-probabilities over several iterations, and against the base with beta", async () => {
    const many = await trained(fakeSpec({}, { num_iterations: 3, beta: 0.05 }));
    const last = steps(many.rows, "static").at(-1)?.metrics;
    expect(many.arms[1]?.optimizer.step).toBe(36);
    expect(last?.["kl"]).toBeGreaterThan(0);
    expect(last?.["sampling/sampling_logp_difference/max"]).toBeLessThan(1e-6);
    const clipped = steps(many.rows, "static").map((row) => row.metrics["clip_ratio/region_mean"] ?? 0);
    expect(Math.max(...clipped)).toBeGreaterThan(0);
    const once = await trained(fakeSpec());
    expect(steps(once.rows, "static").every((row) => row.metrics["clip_ratio/region_mean"] === 0)).toBe(true);
  });
});

describe("a step whose answers are all cut off", () => {
  const short = { max_completion_length: 1, num_generations: 2, beta: 0.1 };

  test("teaches nothing where such answers are masked, and says so", async () => {
    const { rows, arms } = await trained(fakeSpec({}, { ...short, mask_truncated_completions: true }));
    const [cut, others] = [true, false].map((all) =>
      steps(rows, "static").filter((row) => (row.metrics["completions/clipped_ratio"] === 1) === all),
    );
    expect(cut?.length).toBeGreaterThan(2);
    for (const row of cut ?? []) {
      expect(row.metrics).toMatchObject({ entropy: null, kl: null, grad_norm: 0 });
      expect(row.zeroSignal).toBe(true);
    }
    expect(arms[1]?.optimizer.step).toBe(others?.length);
  });

  test("teaches where they are not masked", async () => {
    const { arms } = await trained(fakeSpec({}, short));
    expect(arms[1]?.optimizer.step).toBe(12);
  });
});

describe("a step without signal", () => {
  const criteria = [
    { id: "x", text: "x", category: "c", weight: 1, check: { type: "says", args: { word: "x" } } },
  ];
  const spec = fakeSpec({ rubric: { title: "Nobody says x", criteria }, judgeNoise: 0 });

  test("is recorded and leaves adapter and optimizer as they are", async () => {
    const trainer = fresh(spec);
    const before = trainer.record.arms[0];
    await trainer.step();
    const [row] = steps(trainer.record.rows, "pow3r");
    expect(row?.zeroSignal).toBe(true);
    expect(row?.metrics["frac_reward_zero_std"]).toBe(1);
    expect(row?.metrics["grad_norm"]).toBe(0);
    expect(row?.metrics["entropy"]).toBeGreaterThan(1);
    expect(trainer.record.arms[0]?.adapter).toEqual(before?.adapter);
    expect(trainer.record.arms[0]?.optimizer.step).toBe(0);
  });
});

describe("missing verdicts", () => {
  test("are never 0: a criterion without a check, a broken check and an unknown one stay out of the reward", async () => {
    const base = fakeSpec({ judgeNoise: 0 });
    const odd = ["breaks", "no-such-check"].map((type) => ({
      id: type,
      text: type,
      category: "content",
      weight: 50,
      check: { type, args: {}, negate: false },
      required: false,
      veto: false,
    }));
    const rubric = { title: "Odd", criteria: [...base.rubric.criteria, ...odd] };
    const plain = fresh(base);
    const mixed = fresh({ ...base, rubric });
    await plain.step();
    await mixed.step();
    const rewards = (trainer: Trainer): (number | null)[][] =>
      trainer.record.newest.map((group) => group.rollouts.map((rollout) => rollout.reward));
    expect(rewards(mixed)).toEqual(rewards(plain));
    const row = steps(mixed.record.rows, "static")[0];
    expect(row?.criteria.map((each) => each.passRate).slice(4)).toEqual([null, null, null]);
    expect(row?.metrics["judge/missing"]).toBe(24);
    expect(row?.metrics["judge/failed"]).toBe(16);
    const reasons = mixed.record.newest[0]?.rollouts[0]?.reasons ?? [];
    expect(reasons[4]).toContain("needs a judge");
    expect(reasons[5]).toContain("this check is broken");
  });
});

describe("resuming", () => {
  test.each([0, 3, 5, 11])("after step %i gives the numbers of an uninterrupted run", async (pause) => {
    const spec = fakeSpec({}, { prompts_per_step: 2, num_iterations: 2 });
    const whole = await trained(spec);
    const first = fresh(spec);
    if (pause > 0) await advance(first, pause);
    const second = new Trainer(fakeDeps(), openRecord(sealRecord(first.record), "test"));
    await advance(second, spec.grpo.max_steps);
    expect(second.record).toEqual(whole);
  });

  test("answers the base with the same numbers after the first step as before it", async () => {
    const before = await trained(fakeSpec(), 2);
    const trainer = fresh(fakeSpec());
    await trainer.step();
    const { rows } = await trainer.evaluate();
    expect(rows.map(({ kind, step }) => [kind, step])).toEqual([
      ["evaluation", 0],
      ["evaluation", 0],
    ]);
    expect(trainer.evaluationDue).toBe(false);
    await trainer.step();
    const sorted = (record: RunRecord): RunRow[] => [...record.rows].sort((a, b) => a.step - b.step);
    expect(sorted(trainer.record)).toEqual(sorted(before));
    expect(trainer.record.arms).toEqual(before.arms);
  });

  test("an evaluation that was cut off is made up for", async () => {
    const whole = await trained(fakeSpec());
    const trainer = fresh(fakeSpec());
    await advance(trainer, 4);
    await trainer.step();
    await expect(trainer.evaluate({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    const second = new Trainer(fakeDeps(), openRecord(sealRecord(trainer.record), "test"));
    await advance(second, 12);
    expect(second.record).toEqual(whole);
  });
});

describe("a rubric edit", () => {
  test("applies at the next step, is versioned and keeps alpha of unchanged criteria", async () => {
    const trainer = fresh(fakeSpec());
    await advance(trainer, 6);
    const before = steps(trainer.record.rows, "pow3r");
    const stateBefore = trainer.record.arms[0]?.pow3r.alphas["scenario"] ?? {};
    const { rubric } = trainer.record.spec;
    const criteria = rubric.criteria.map((each) => {
      if (each.id === "refund") return { ...each, weight: 4 };
      return each.id === "sorry" && each.check
        ? { ...each, check: { ...each.check, args: { word: "please" } } }
        : each;
    });
    const { version, row } = trainer.editRubric({ ...rubric, criteria });
    expect(version).toMatchObject({ version: 2, fromStep: 7 });
    expect(row.summary).toContain("2 → 4");
    await trainer.step();
    const after = steps(trainer.record.rows, "pow3r").at(-1);
    const alphaOf = (id: string): number | undefined => after?.criteria.find((each) => each.id === id)?.alpha;
    expect(after?.rubricVersion).toBe(2);
    expect(before.at(-1)?.rubricVersion).toBe(1);
    for (const [index, id] of (["refund", "soon"] as const).entries()) {
      const identity = criterionIdentity(rubric.criteria[index] as (typeof rubric.criteria)[number]);
      expect(alphaOf(id)).toBe(stateBefore[identity]);
      expect(alphaOf(id)).not.toBe(1);
    }
    expect(alphaOf("sorry")).toBe(1);
  });

  test("made during a step applies to the one after it", async () => {
    const trainer = fresh(fakeSpec());
    const step = trainer.step();
    const { version } = trainer.editRubric(trainer.record.spec.rubric);
    await step;
    expect(version.fromStep).toBe(2);
    expect(steps(trainer.record.rows, "static").at(-1)?.rubricVersion).toBe(1);
    expect(trainer.record.rubrics).toHaveLength(2);
  });
});

describe("a rubric edit during a step that comes to nothing", () => {
  test("counts from that step, and is marked there", async () => {
    const controller = new AbortController();
    const trainer = fresh(fakeSpec());
    await advance(trainer, 2);
    const { rubric } = trainer.record.spec;
    const edited = { ...rubric, criteria: rubric.criteria.slice(1) };
    const step = trainer.step(controller.signal);
    trainer.editRubric({ ...rubric, criteria: rubric.criteria.slice(2) });
    expect(trainer.editRubric(edited).version).toMatchObject({ version: 3, fromStep: 4 });
    controller.abort();
    await expect(step).rejects.toMatchObject({ code: "aborted" });
    const moved = trainer.pullEdits();
    const marks = trainer.record.rows.filter((row) => row.kind === "rubric");
    expect(marks.map((row) => [row.rubricVersion, row.step])).toEqual([
      [2, 3],
      [3, 3],
    ]);
    expect(moved).toEqual(marks);
    await trainer.step();
    expect(trainer.pullEdits()).toEqual([]);
    const [row] = steps(trainer.record.rows, "static").slice(-1);
    expect([row?.step, row?.rubricVersion, row?.criteria.length]).toEqual([3, 3, edited.criteria.length]);
  });
});

describe("what goes wrong", () => {
  test("a gradient that is not finite stops the run at its last good step, naming step, seed and arm", async () => {
    const trainer = fresh(fakeSpec(), {
      distortGradient: (call, result) => (call === 8 ? { ...result, loss: Number.NaN } : result),
    });
    await advance(trainer, 3);
    const good = trainer.record;
    await expect(trainer.step()).rejects.toMatchObject({
      code: "not-finite",
      where: 'step 4, seed 7, arm "static", loss',
    });
    expect(trainer.record).toBe(good);
    await trainer.step();
    expect(trainer.record.step).toBe(4);
  });

  test("a number that is not finite, or a gradient beyond its bound, is named by its tensor; a bound of null is none", async () => {
    const distort = (call: number, result: GradientResult): GradientResult => {
      const gradient = result.gradient.slice();
      gradient[2 * FAKE_WORDS.length + 3] = call === 2 ? Number.NaN : 300;
      return { ...result, gradient };
    };
    const trainer = fresh(fakeSpec({}, { divergence_grad_norm: 200 }), { distortGradient: distort });
    await expect(trainer.step()).rejects.toMatchObject({
      code: "diverged",
      where: 'step 1, seed 7, arm "pow3r", gradient (largest in after sorry)',
    });
    await expect(trainer.step()).rejects.toMatchObject({
      code: "not-finite",
      where: 'step 1, seed 7, arm "pow3r", gradient of after sorry',
    });
    expect(trainer.record.step).toBe(0);
    const loss = (_: number, result: GradientResult): GradientResult => ({ ...result, loss: -50 });
    const steep = fresh(fakeSpec({}, { divergence_loss: 49 }), { distortGradient: loss });
    await expect(steep.step()).rejects.toMatchObject({
      code: "diverged",
      where: expect.stringMatching(/arm "pow3r", loss$/) as string,
    });
    const unbounded = fakeSpec({}, { divergence_grad_norm: null, divergence_loss: null });
    await fresh(unbounded, {
      distortGradient: (call, result) => distort(call + 9, loss(call, result)),
    }).step();
  });

  test("half the learning rate counts from the step that is taken next, and a repeated run has the same numbers", async () => {
    const trainer = fresh(fakeSpec());
    await advance(trainer, 3);
    trainer.addLearningRateEdits([
      { seed: 7, fromStep: 4, factor: 0.5 },
      { seed: 8, fromStep: 2, factor: 0.5 },
    ]);
    await advance(trainer, 6);
    const rates = steps(trainer.record.rows, "static").map((row) => row.metrics["learning_rate"]);
    expect(rates).toEqual([0.1, 0.1, 0.1, 0.05, 0.05, 0.05]);
    const again = fresh(trainer.record.spec);
    await advance(again, 6);
    expect(again.record).toEqual(trainer.record);
  });

  test("an abort ends the step within a chunk; going on gives the same numbers", async () => {
    const whole = await trained(fakeSpec());
    let chunks = 0;
    let stopAt = Number.POSITIVE_INFINITY;
    const controller = new AbortController();
    const trainer = fresh(fakeSpec(), {
      onChunk: () => {
        if (++chunks === stopAt) controller.abort();
      },
    });
    await advance(trainer, 3);
    const good = trainer.record;
    stopAt = chunks + 11;
    await expect(trainer.step(controller.signal)).rejects.toMatchObject({ code: "aborted" });
    expect(chunks).toBe(stopAt);
    expect(trainer.record).toBe(good);
    await advance(trainer, 12);
    expect(trainer.record).toEqual(whole);
  });

  test("a step after the last is refused", async () => {
    const trainer = fresh(fakeSpec({}, { max_steps: 1 }));
    await trainer.step();
    await expect(trainer.step()).rejects.toMatchObject({ code: "run-state" });
  });
});

describe("what the page looks at", () => {
  test("a pinned prompt is answered by every arm at every evaluation", async () => {
    const trainer = fresh(fakeSpec());
    trainer.pinPrompt("held-out-2");
    await advance(trainer, 5);
    expect(trainer.record.pinned.map((group) => [group.arm, group.step])).toEqual([
      ["pow3r", 0],
      ["static", 0],
      ["pow3r", 5],
      ["static", 5],
    ]);
    expect(() => {
      trainer.pinPrompt("nobody");
    }).toThrow("nobody");
  });

  test("log-probabilities after the update rise for good answers", async () => {
    const trainer = fresh(fakeSpec());
    await trainer.step();
    expect(trainer.record.newest[0]?.rollouts[0]?.tokens[0]?.logProbAfter).toBeNull();
    const [group] = await trainer.measureNewest();
    const gain = (group?.rollouts ?? []).map((rollout) => {
      const change = rollout.tokens.reduce(
        (sum, token) => sum + (token.logProbAfter ?? Number.NaN) - token.logProb,
        0,
      );
      return change * rollout.advantage;
    });
    expect(gain.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0);
  });
});
