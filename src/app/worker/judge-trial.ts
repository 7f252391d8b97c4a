/** A judge tried: on one answer, on the newest rollouts beside their checks, and on labelled answers beside the labels. */
import type { CheckedJudgement } from "../../domain/rubric/checks/check.ts";
import type { Criterion, Rubric } from "../../domain/rubric/schema.ts";
import type { Answer, Judgement, PromptFacts, Verdict } from "../../domain/rubric/verdicts.ts";
import { judgeAnswers, type CriterionJudge, type JudgingDeps } from "../../training/judging.ts";
import { findPrompt } from "../../training/pinned-prompt.ts";
import { promptFacts } from "../../training/rollout.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { Compared, HumanLabel } from "../protocol/judge-messages.ts";

interface TrialDeps {
  readonly judging: JudgingDeps;
  readonly judge: CriterionJudge;
  readonly signal: AbortSignal;
}

/** The answer under every criterion: by the judge, and by the check where there is one. */
export async function tryJudge(
  deps: TrialDeps,
  { criteria }: Rubric,
  { answer, prompt }: { readonly answer: string; readonly prompt: PromptFacts },
): Promise<{ readonly judged: readonly Judgement[]; readonly checked: readonly (Judgement | null)[] }> {
  const answers = [{ text: answer, ended: true }];
  const alone = { ...deps.judging, judge: null };
  const [[checked = []] = []] = await judgeAnswers(alone, criteria, [{ prompt, answers }]);
  const [judged = []] = await byJudge(deps, criteria, answers, prompt);
  return { judged, checked: checked.map((judgement, i) => (criteria[i]?.check === null ? null : judgement)) };
}

/** The newest rollouts' answers, a prompt after the other, under the criteria that a check decides. */
export async function compareWithChecks(
  deps: TrialDeps,
  { criteria }: Rubric,
  record: RunRecord | null,
  mostAnswers: number,
): Promise<readonly Compared[]> {
  const checked = criteria.filter(({ check }) => check !== null);
  const compared: Compared[] = [];
  let left = mostAnswers;
  for (const { promptId, rollouts } of record?.newest ?? []) {
    const prompt = record === null ? null : findPrompt(record, promptId);
    const answers = rollouts.slice(0, left).map(({ text, ended }) => ({ text, ended }));
    if (prompt === null || answers.length === 0 || checked.length === 0) continue;
    left -= answers.length;
    const facts = promptFacts(prompt);
    const alone = { ...deps.judging, judge: null };
    const [truth = []] = await judgeAnswers(alone, checked, [{ prompt: facts, answers }]);
    const judged = await byJudge(deps, checked, answers, facts);
    judged.forEach((row, g) => {
      checked.forEach((criterion, j) => {
        compared.push(comparedOf(criterion, row[j], truth[g]?.[j]?.verdict ?? null));
      });
    });
  }
  return compared;
}

/** Labelled answers: those that were asked the same and answered the same are judged at once. */
export async function compareWithLabels(
  deps: TrialDeps,
  { criteria }: Rubric,
  labels: readonly HumanLabel[],
): Promise<readonly Compared[]> {
  const byAnswer = new Map<string, HumanLabel[]>();
  for (const label of labels) {
    const key = JSON.stringify([label.prompt, label.answer]);
    byAnswer.set(key, [...(byAnswer.get(key) ?? []), label]);
  }
  const compared: Compared[] = [];
  for (const [first, ...others] of byAnswer.values()) {
    if (first === undefined) continue;
    const own = [first, ...others].flatMap((label) => {
      const criterion = criteria.find(({ id }) => id === label.criterionId);
      return criterion === undefined ? [] : [{ criterion, label }];
    });
    const facts = { text: first.prompt ?? "", fields: {} };
    const answers = [{ text: first.answer, ended: true }];
    const asked = own.map(({ criterion }) => criterion);
    const [judged = []] = await byJudge(deps, asked, answers, facts);
    own.forEach(({ criterion, label }, i) => {
      // a person says whether the words are met, whatever the criterion makes of it
      const met = label.met !== (criterion.penalty === true) ? 1 : 0;
      compared.push(comparedOf(criterion, judged[i], met));
    });
  }
  return compared;
}

/** [G][C] Every criterion by the judge, whether a check could decide it or not. */
async function byJudge(
  { judging, judge, signal }: TrialDeps,
  criteria: readonly Criterion[],
  answers: readonly Answer[],
  prompt: PromptFacts,
): Promise<readonly (readonly CheckedJudgement[])[]> {
  const unchecked = criteria.map((criterion) => ({ ...criterion, check: null }));
  const [judged = []] = await judgeAnswers({ ...judging, judge }, unchecked, [{ prompt, answers }], signal);
  return judged;
}

/** Both as verdicts on the criterion's words: what a penalty turns round is turned back. */
function comparedOf(criterion: Criterion, judged: CheckedJudgement | undefined, truth: Verdict): Compared {
  const inWords = (verdict: Verdict): Verdict =>
    verdict === null || criterion.penalty !== true ? verdict : 1 - verdict;
  return {
    criterionId: criterion.id,
    judge: inWords(judged?.verdict ?? null),
    truth: inWords(truth),
    pYes: judged?.pYes ?? null,
  };
}
