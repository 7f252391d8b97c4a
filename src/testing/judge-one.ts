/** One group asked of a judge, as tests mostly do. */
import type { CheckedJudgement } from "../domain/rubric/checks/check.ts";
import type { CriterionJudge, JudgedAnswers } from "../training/judging.ts";

/** [C][G] */
export async function judgeOne(
  judge: CriterionJudge,
  ...[criteria, answers, prompt, signal]: [
    JudgedAnswers["criteria"],
    JudgedAnswers["answers"],
    JudgedAnswers["prompt"],
    AbortSignal?,
  ]
): Promise<readonly (readonly CheckedJudgement[])[]> {
  const [judged = []] = await judge.judge([{ criteria, answers, prompt }], signal);
  return judged;
}
