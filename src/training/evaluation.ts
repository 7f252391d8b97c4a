/**
 * The held-out evaluation: answers, verdicts without noise, and the domain's numbers. What the run starts from, the base or an
 * adapter from elsewhere, is evaluated once, as step 0, and stands for every arm; its answers are kept, so that an edited rubric
 * can still tell what it could do.
 */
import { evaluateAnswers, learningAtStart } from "../domain/run/evaluation.ts";
import { defined } from "../base/assert.ts";
import type { Criterion } from "../domain/rubric/schema.ts";
import type { Verdict, VerdictMatrix } from "../domain/rubric/verdicts.ts";
import type { Evaluation, RolloutGroup } from "../domain/run/records.ts";
import type { TrainingDeps } from "./deps.ts";
import { answerHeldOut, type HeldOutAnswer } from "./held-out.ts";
import { judgeGroups, type JudgingDeps } from "./judging.ts";
import { answerPinned } from "./pinned-prompt.ts";
import { rubricAt, type RunRecord } from "./run-record.ts";

export interface EvaluationOptions {
  readonly signal?: AbortSignal | undefined;
  /** Answers done and to do, over all arms. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface EvaluationOutcome {
  readonly rows: readonly Evaluation[];
  readonly pinned: readonly RolloutGroup[];
  readonly baseAnswers: readonly HeldOutAnswer[];
}

/** Evaluates every arm as of a step: the record's own, or 0 for the base at any time. @throws PlaygroundError `aborted` between two chunks of decoding. */
export async function evaluateRun(
  deps: TrainingDeps,
  record: RunRecord,
  step: number,
  options: EvaluationOptions,
): Promise<EvaluationOutcome> {
  const { spec } = record;
  const adapters = step === 0 ? [record.start] : record.arms.map((arm) => arm.adapter);
  const answers: HeldOutAnswer[][] = [];
  const total = adapters.length * spec.evaluationSamples;
  options.onProgress?.(0, total);
  for (const [turn, adapter] of adapters.entries()) {
    const before = turn * spec.evaluationSamples;
    const onProgress = (done: number): void => options.onProgress?.(before + done, total);
    answers.push(
      await answerHeldOut(deps.policy, deps.codec, {
        spec,
        adapter,
        step,
        signal: options.signal,
        onProgress,
      }),
    );
  }
  const baseAnswers = record.baseAnswers ?? defined(answers[0], "answers of the base");
  const judging = { ...deps, judge: deps.heldOutJudge ?? deps.judge ?? null };
  const judge = { deps: judging, record, signal: options.signal };
  const rows: Evaluation[] = [];
  for (const [index, arm] of record.arms.entries()) {
    const own = defined(step === 0 ? answers[0] : answers[index], `answers of arm "${arm.id}"`);
    rows.push(await evaluationRow(judge, { arm: arm.id, step, answers: own, baseAnswers }));
  }
  return { rows, pinned: await answerPinned(judging, record, step, options.signal), baseAnswers };
}

interface ArmAnswers {
  readonly arm: string;
  readonly step: number;
  readonly answers: readonly HeldOutAnswer[];
  readonly baseAnswers: readonly HeldOutAnswer[];
}

interface HeldOutJudging {
  readonly deps: JudgingDeps;
  readonly record: RunRecord;
  readonly signal: AbortSignal | undefined;
}

async function evaluationRow(judging: HeldOutJudging, of: ArmAnswers): Promise<Evaluation> {
  const rubric = rubricAt(judging.record, of.step);
  const { criteria } = rubric.rubric;
  return evaluateAnswers({
    arm: of.arm,
    step: of.step,
    rubricVersion: rubric.version,
    criteria,
    verdicts: await judgeHeldOut(judging, criteria, of.answers),
    promptIds: of.answers.map((answer) => answer.promptId),
    lengths: of.answers.map((answer) => answer.length),
    learning: learningAtStart(criteria, await judgeHeldOut(judging, criteria, of.baseAnswers)),
  });
}

/** [N][C], without noise: the answers by their prompts, all at once. */
async function judgeHeldOut(
  { deps, record, signal }: HeldOutJudging,
  criteria: readonly Criterion[],
  answers: readonly HeldOutAnswer[],
): Promise<VerdictMatrix> {
  const groups = [...new Set(answers.map((answer) => answer.promptId))].map((promptId) => ({
    prompt: defined(
      record.spec.heldOutPrompts.find(({ id }) => id === promptId),
      `held-out prompt "${promptId}"`,
    ),
    answers: answers.filter((answer) => answer.promptId === promptId),
  }));
  const judged = await judgeGroups(deps, criteria, groups, signal);
  const verdicts = new Map<HeldOutAnswer, readonly Verdict[]>();
  groups.forEach(({ answers: own }, p) => {
    own.forEach((answer, g) => verdicts.set(answer, defined(judged[p]?.verdicts[g], "an answer's verdicts")));
  });
  return answers.map((answer) => defined(verdicts.get(answer), "an answer's verdicts"));
}
