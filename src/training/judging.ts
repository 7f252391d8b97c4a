/**
 * From answers to verdicts by the programmatic checks. A verdict that could not be had is missing with its reason,
 * never 0: a criterion without a check needs a judge, and a check that fails is counted.
 */
import { findCheck, type CheckTable } from "../domain/rubric/checks/check.ts";
import { appliesTo } from "../domain/rubric/criteria.ts";
import type { Criterion } from "../domain/rubric/schema.ts";
import type { Answer, Judgement, PromptFacts, VerdictMatrix } from "../domain/rubric/verdicts.ts";
import { promptFacts, type SampledGroup } from "./rollout.ts";

/** A verdict that is missing because something went wrong, rather than because nobody judges it. */
export interface JudgingFailure {
  readonly criterionId: string;
  readonly reason: string;
}

/** One answer under one criterion; `failed` marks a check that broke. */
interface CheckedJudgement extends Judgement {
  readonly failed: boolean;
}

/** One group's verdicts before any noise. */
export interface JudgedGroup {
  /** [G][C] */
  readonly verdicts: VerdictMatrix;
  /** [G][C], the reason of each verdict in words. */
  readonly reasons: readonly (readonly string[])[];
  readonly failures: readonly JudgingFailure[];
}

/** Judges every answer of a sampled group under every criterion. */
export function judgeGroup(
  checks: CheckTable,
  criteria: readonly Criterion[],
  group: Pick<SampledGroup, "prompt" | "answers">,
): JudgedGroup {
  const facts = promptFacts(group.prompt);
  const judged = group.answers.map((answer) =>
    criteria.map((criterion) => check(checks, criterion, answer, facts)),
  );
  return {
    verdicts: judged.map((row) => row.map((judgement) => judgement.verdict)),
    reasons: judged.map((row) => row.map((judgement) => judgement.reason)),
    failures: judged.flatMap((row) =>
      row.flatMap(({ failed, reason }, j) =>
        failed ? [{ criterionId: criteria[j]?.id ?? "", reason }] : [],
      ),
    ),
  };
}

/** One answer under every criterion, in the rubric's order. */
export function judgeAnswer(
  checks: CheckTable,
  criteria: readonly Criterion[],
  answer: Answer,
  facts: PromptFacts,
): readonly Judgement[] {
  return criteria.map((criterion) => {
    const { verdict, reason, spans } = check(checks, criterion, answer, facts);
    return { verdict, reason, spans };
  });
}

function check(
  checks: CheckTable,
  criterion: Criterion,
  answer: Answer,
  facts: PromptFacts,
): CheckedJudgement {
  if (facts.id !== undefined && !appliesTo(criterion, facts.id)) {
    return missing("does not apply to this prompt", false);
  }
  const spec = criterion.check;
  if (spec === null) return missing("needs a judge: no programmatic check reads this criterion", false);
  const def = findCheck(checks, spec.type);
  if (def === undefined) return missing(`there is no check called "${spec.type}"`, true);
  const args = def.args.safeParse(spec.args);
  if (!args.success) {
    return missing(`the arguments of "${spec.type}" do not fit: ${args.error.message}`, true);
  }
  try {
    const judgement = def.judge(answer, args.data, facts);
    const inverted = spec.negate !== (criterion.penalty === true);
    return { ...(inverted ? negated(judgement) : judgement), failed: false };
  } catch (error) {
    return missing(`"${spec.type}" failed: ${error instanceof Error ? error.message : String(error)}`, true);
  }
}

function negated(judgement: Judgement): Judgement {
  const verdict = judgement.verdict === null ? null : 1 - judgement.verdict;
  return { ...judgement, verdict };
}

function missing(reason: string, failed: boolean): CheckedJudgement {
  return { verdict: null, reason, spans: [], failed };
}
