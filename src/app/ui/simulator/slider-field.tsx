/** A slider with a number field beside it: both set the same value, the field also between the slider's stops. */
import { useId, useState } from "react";
import { useText } from "../text/text-context.ts";
import { shownValue, typedValue, type SliderSpec } from "./settings-fields.ts";

interface SliderFieldProps {
  readonly spec: SliderSpec;
  readonly value: number;
  readonly onValue: (value: number) => void;
}

export function SliderField({ spec, value, onValue }: SliderFieldProps) {
  const { label, means } = useText().simulator.fields[spec.name];
  const id = useId();
  const shown = shownValue(spec, value);
  const put = (text: string): void => {
    const typed = typedValue(spec, text);
    if (typed !== null) onValue(typed);
  };
  return (
    <div className="slider-field">
      <span id={id} data-tip={means}>
        {label}
      </span>
      <NumberField labelledBy={id} means={means} shown={shown} onText={put} />
      <span className="soft" aria-hidden>
        {spec.unit}
      </span>
      <input
        type="range"
        aria-labelledby={id}
        aria-description={means}
        aria-valuetext={`${String(shown)} ${spec.unit}`.trim()}
        min={spec.min}
        max={spec.max}
        step={spec.step}
        value={shown}
        onChange={({ target }) => {
          put(target.value);
        }}
      />
    </div>
  );
}

interface NumberFieldProps {
  readonly labelledBy: string;
  readonly means: string;
  readonly shown: number;
  readonly onText: (text: string) => void;
}

/** What is typed counts on Enter or when the field is left. */
function NumberField({ labelledBy, means, shown, onText }: NumberFieldProps) {
  const [draft, setDraft] = useState(String(shown));
  const [seen, setSeen] = useState(shown);
  if (seen !== shown) {
    setSeen(shown);
    setDraft(String(shown));
  }
  const commit = (): void => {
    onText(draft);
    setDraft(String(shown));
  };
  return (
    <input
      type="text"
      inputMode="decimal"
      aria-labelledby={labelledBy}
      aria-description={means}
      value={draft}
      onChange={({ target }) => {
        setDraft(target.value);
      }}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === "Enter") commit();
      }}
    />
  );
}
