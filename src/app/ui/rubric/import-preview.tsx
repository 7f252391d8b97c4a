/** What a rubric from a file asks: its prompts, and each criterion with its category, weight and who decides it. */
import type { RubricSet } from "../../../domain/rubric/formats/rubric-set.ts";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { usePage } from "../app-context.ts";
import { number } from "../format.ts";
import { useText } from "../text/text-context.ts";
import { BeyondBundled } from "./beyond-bundled.tsx";

const PROMPTS_SHOWN = 8;
const CRITERIA_SHOWN = 200;

interface PreviewProps {
  readonly set: RubricSet;
  readonly onModel: () => void;
}

export function ImportPreview({ set, onModel }: PreviewProps) {
  const text = useText().importing;
  const { criteria, prompts } = set;
  const judged = criteria.filter(({ check }) => check === null).length;
  return (
    <>
      <BeyondBundled prompts={prompts} onModel={onModel} />
      <p>
        {text.checked(criteria.length - judged, criteria.length)}; {text.judged(judged)}.
      </p>
      {judged === criteria.length && (
        <p className="form-problem" role="status">
          {text.allJudged}
        </p>
      )}
      {prompts.length > 0 && (
        <>
          <h3>{text.prompts}</h3>
          <ol className="import-prompts">
            {prompts.slice(0, PROMPTS_SHOWN).map(({ id, messages }) => (
              <li key={id}>{messages.at(-1)?.content}</li>
            ))}
          </ol>
          {prompts.length > PROMPTS_SHOWN && (
            <p className="soft">{text.more(prompts.length - PROMPTS_SHOWN)}</p>
          )}
        </>
      )}
      <CriteriaTable criteria={criteria} prompts={prompts.length} />
    </>
  );
}

function CriteriaTable({
  criteria,
  prompts,
}: {
  readonly criteria: readonly Criterion[];
  readonly prompts: number;
}) {
  const text = useText().importing;
  return (
    <>
      <table className="import-criteria">
        <thead>
          <tr>
            <th scope="col">{text.criterion}</th>
            <th scope="col">{text.category}</th>
            <th scope="col">{text.weight}</th>
            <th scope="col">{text.by}</th>
            {prompts > 0 && <th scope="col">{text.counts}</th>}
          </tr>
        </thead>
        <tbody>
          {criteria.slice(0, CRITERIA_SHOWN).map((criterion) => (
            <tr key={criterion.id}>
              <th scope="row">
                {criterion.penalty === true && (
                  <span className="badge warn" data-tip={text.penaltyMeans}>
                    {text.penalty}
                  </span>
                )}{" "}
                {criterion.text}
              </th>
              <td>{criterion.category}</td>
              <td>{number(criterion.weight)}</td>
              <td>
                <DecidedBy criterion={criterion} />
              </td>
              {prompts > 0 && <td>{criterion.prompts?.length ?? text.everywhere}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {criteria.length > CRITERIA_SHOWN && (
        <p className="soft">{text.more(criteria.length - CRITERIA_SHOWN)}</p>
      )}
    </>
  );
}

function DecidedBy({ criterion: { check } }: { readonly criterion: Criterion }) {
  const text = useText().importing;
  const { checks } = usePage();
  if (check === null) return <span className="badge warn">{text.judge}</span>;
  const title = checks[check.type]?.title ?? check.type;
  return <>{check.negate ? `not: ${title}` : title}</>;
}
