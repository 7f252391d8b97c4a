/** On a criterion in free words: who reads it, the judge or nobody yet. */
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { hasJudge } from "../../store/planned-pressures.ts";
import { useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

export function JudgeBadge({ criterion }: { readonly criterion: Criterion }) {
  const { judge, rubric: text } = useText();
  const judged = useApp(hasJudge);
  if (criterion.check !== null) return null;
  return (
    <span className={judged ? "badge" : "badge warn"} data-tip={judged ? judge.ready : text.needsJudgeWhy}>
      {judged ? text.byJudge : text.needsJudge}
    </span>
  );
}
