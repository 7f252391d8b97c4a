/** A criterion's weight, edited in place; what is no weight is refused in words. */
import { useEffect, useId, useState, type KeyboardEvent } from "react";
import { LARGEST_WEIGHT, weightSchema, type Criterion } from "../../../domain/rubric/schema.ts";
import { useActions } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

/** How long a refused weight stays explained, ms. */
const EXPLAIN_MS = 6000;

export function WeightField({ criterion }: { readonly criterion: Criterion }) {
  const text = useText().rubric;
  const actions = useActions();
  const [draft, setDraft] = useState<string | null>(null);
  const [refused, setRefused] = useState(false);
  const problemId = useId();
  useEffect(() => {
    if (!refused) return undefined;
    const timer = setTimeout(() => {
      setRefused(false);
    }, EXPLAIN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [refused]);
  const put = (weight: number): void => {
    const fits = weightSchema.safeParse(weight).success;
    if (fits) actions.setWeight(criterion.id, weight);
    setRefused(!fits);
    setDraft(null);
  };
  const commit = (): void => {
    const typed = (draft ?? "").trim().replace(",", ".");
    if (typed === "") setDraft(null);
    else put(Number(typed));
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") setDraft(null);
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    put(Math.min(LARGEST_WEIGHT, Math.max(0, criterion.weight + by)));
  };
  return (
    <>
      <input
        className="weight-field"
        inputMode="decimal"
        aria-label={text.weightOf(criterion.text)}
        aria-invalid={refused}
        aria-describedby={problemId}
        value={draft ?? String(criterion.weight)}
        onChange={(event) => {
          setDraft(event.target.value);
          setRefused(false);
        }}
        onFocus={(event) => {
          event.target.select();
        }}
        onBlur={commit}
        onKeyDown={onKey}
      />
      <span id={problemId} role="status" className="weight-problem">
        {refused && text.badWeight(LARGEST_WEIGHT, criterion.weight)}
      </span>
    </>
  );
}
