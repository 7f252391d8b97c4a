/** A criterion's words, category, weight and whether it is required. */
import { useId } from "react";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { useApp } from "../app-context.ts";
import { Term } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { weightScale } from "./weight-scale.ts";
import { WeightSlider } from "./weight-slider.tsx";

export function WordFields({
  draft,
  onChange,
}: {
  readonly draft: Criterion;
  readonly onChange: (part: Partial<Criterion>) => void;
}) {
  const { editor: text, rubricEditor } = useText();
  const criteria = useApp((state) => state.rubric.criteria);
  const listId = useId();
  return (
    <>
      <label className="form-field">
        <span>{text.words}</span>
        <input
          value={draft.text}
          onChange={(event) => {
            onChange({ text: event.target.value });
          }}
        />
      </label>
      <div className="form-row">
        <label className="form-field">
          <span>{text.category}</span>
          <input
            list={listId}
            value={draft.category}
            onChange={(event) => {
              onChange({ category: event.target.value });
            }}
          />
          <datalist id={listId}>
            {[...new Set(criteria.map((criterion) => criterion.category))].map((category) => (
              <option key={category} value={category} />
            ))}
          </datalist>
        </label>
        <label className="form-field">
          <span>{text.weight}</span>
          <input
            type="number"
            min={0}
            step="any"
            value={draft.weight}
            onChange={(event) => {
              onChange({ weight: event.target.valueAsNumber });
            }}
          />
        </label>
        <WeightSlider
          weight={Number.isFinite(draft.weight) ? draft.weight : 0}
          scale={weightScale(criteria.map((criterion) => criterion.weight))}
          label={rubricEditor.slideWeight(draft.text)}
          onSlide={(weight) => {
            onChange({ weight });
          }}
          onRest={(weight) => {
            onChange({ weight });
          }}
        />
        <span className="form-check">
          <input
            id={`${listId}-required`}
            type="checkbox"
            checked={draft.required}
            onChange={(event) => {
              onChange({ required: event.target.checked });
            }}
          />
          <label htmlFor={`${listId}-required`}>{text.required}</label>
          <Term name="veto">?</Term>
        </span>
      </div>
    </>
  );
}
