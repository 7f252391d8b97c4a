/**
 * The held-out evaluation: answers, verdicts without noise, and the domain's numbers. The base is evaluated once, as
 * step 0, and stands for every arm; its answers are kept, so that an edited rubric can still tell what it could do.
 */
import { evaluateAnswers, learningAtStart } from "../domain/run/evaluation.ts";
import { defined } from "../base/assert.ts";
import { loadChecks, type CheckTable } from "../domain/rubric/checks/check.ts";
import type { Criterion } from "../domain/rubric/schema.ts";
import type { VerdictMatrix } from "../domain/rubric/verdicts.ts";
import type { Evaluation, RolloutGroup } from "../domain/run/records.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import type { TrainingDeps } from "./deps.ts";
import { answerHeldOut, type HeldOutAnswer } from "./held-out.ts";
import { judgeGroup } from "./judging.ts";
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
  const adapters = step === 0 ? [null] : record.arms.map((arm) => arm.adapter);
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
  await loadChecks(deps.checks, record.rubrics.at(-1)?.rubric.criteria ?? []);
  const rows = record.arms.map((arm, index) =>
    evaluationRow(deps.checks, record, {
      arm: arm.id,
      step,
      answers: defined(step === 0 ? answers[0] : answers[index], `answers of arm "${arm.id}"`),
      baseAnswers,
    }),
  );
  return { rows, pinned: await answerPinned(deps, record, step, options.signal), baseAnswers };
}

interface ArmAnswers {
  readonly arm: string;
  readonly step: number;
  readonly answers: readonly HeldOutAnswer[];
  readonly baseAnswers: readonly HeldOutAnswer[];
}

function evaluationRow(checks: CheckTable, record: RunRecord, of: ArmAnswers): Evaluation {
  const rubric = rubricAt(record, of.step);
  const { criteria } = rubric.rubric;
  return evaluateAnswers({
    arm: of.arm,
    step: of.step,
    rubricVersion: rubric.version,
    criteria,
    verdicts: judgeHeldOut(checks, criteria, record.spec, of.answers),
    lengths: of.answers.map((answer) => answer.length),
    learning: learningAtStart(criteria, judgeHeldOut(checks, criteria, record.spec, of.baseAnswers)),
  });
}

/** [N][C], without noise. */
function judgeHeldOut(
  checks: CheckTable,
  criteria: readonly Criterion[],
  spec: RunSpec,
  answers: readonly HeldOutAnswer[],
): VerdictMatrix {
  const prompts = new Map(spec.heldOutPrompts.map((prompt) => [prompt.id, prompt]));
  return answers.flatMap((answer) => {
    const prompt = defined(prompts.get(answer.promptId), `held-out prompt "${answer.promptId}"`);
    return judgeGroup(checks, criteria, { prompt, answers: [answer] }).verdicts;
  });
}
