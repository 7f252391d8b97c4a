/** A criterion's weight, edited in place by number, and by a slider that comes with the focus; what is no weight is refused in words. */
import { useEffect, useId, useState, type KeyboardEvent } from "react";
import { LARGEST_WEIGHT, weightSchema, type Criterion } from "../../../domain/rubric/schema.ts";
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { weightScale } from "./weight-scale.ts";
import { WeightSlider } from "./weight-slider.tsx";

/** How long a refused weight stays explained, ms. */
const EXPLAIN_MS = 6000;

export function WeightField({ criterion }: { readonly criterion: Criterion }) {
  const { rubric: text, rubricEditor } = useText();
  const actions = useActions();
  const [draft, setDraft] = useState<string | null>(null);
  const [refused, setRefused] = useState(false);
  const [within, setWithin] = useState(false);
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
    if (draft !== null) event.stopPropagation(); // its own undo, while it is written
    if (event.key === "Enter") commit();
    if (event.key === "Escape") setDraft(null);
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    put(Math.min(LARGEST_WEIGHT, Math.max(0, criterion.weight + by)));
  };
  return (
    <div
      onFocus={() => {
        setWithin(true);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setWithin(false);
      }}
    >
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
      {within && (
        <SlideOut
          criterion={criterion}
          shown={Number(draft ?? criterion.weight)}
          label={rubricEditor.slideWeight(criterion.text)}
          onSlide={(weight) => {
            setDraft(String(weight));
          }}
          onRest={put}
        />
      )}
    </div>
  );
}

/** Beside the field, over what stands there, so that nothing moves. */
function SlideOut(props: {
  readonly criterion: Criterion;
  readonly shown: number;
  readonly label: string;
  readonly onSlide: (weight: number) => void;
  readonly onRest: (weight: number) => void;
}) {
  const criteria = useApp((state) => state.rubric.criteria);
  const weight = Number.isFinite(props.shown) ? props.shown : props.criterion.weight;
  return (
    <div className="weight-slide">
      <WeightSlider
        weight={weight}
        scale={weightScale(criteria.map((each) => each.weight))}
        label={props.label}
        onSlide={props.onSlide}
        onRest={props.onRest}
      />
    </div>
  );
}
