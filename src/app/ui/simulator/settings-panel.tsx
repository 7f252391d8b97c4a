/** The simulator's settings: sliders with number fields, and the two choices. */
import { useState } from "react";
import type { SimulatorSettings } from "../../../domain/simulator/settings.ts";
import { useText } from "../text/text-context.ts";
import { defaultSettings, sliderGroups, withSetting } from "./settings-fields.ts";
import { SliderField } from "./slider-field.tsx";

interface PanelProps {
  readonly settings: SimulatorSettings;
  readonly onSettings: (settings: SimulatorSettings) => void;
}

/** Side by side with the picture they stand open; on a phone they would push it away. */
const WIDE = "(min-width: 900px)";

export function SettingsPanel({ settings, onSettings }: PanelProps) {
  const text = useText().simulator;
  const [open] = useState(() => window.matchMedia(WIDE).matches);
  const set = (name: keyof SimulatorSettings, value: number | string): void => {
    onSettings(withSetting(settings, name, value));
  };
  return (
    <details className="simulator-settings" open={open}>
      <summary>{text.settings}</summary>
      {(["judge", "grpo", "alpha"] as const).map((group) => (
        <fieldset key={group}>
          <legend>{text.groups[group]}</legend>
          {sliderGroups[group].map((spec) => (
            <SliderField
              key={spec.name}
              spec={spec}
              value={settings[spec.name]}
              onValue={(value) => {
                set(spec.name, value);
              }}
            />
          ))}
          {group === "judge" && (
            <Choice name="flatPlaces" choices={["even", "gathered"]} {...{ settings, set }} />
          )}
          {group === "grpo" && (
            <Choice name="scale_rewards" choices={["group", "batch", "none"]} {...{ settings, set }} />
          )}
        </fieldset>
      ))}
      <button
        type="button"
        className="pill small"
        onClick={() => {
          onSettings(defaultSettings);
        }}
      >
        {text.defaults}
      </button>
    </details>
  );
}

interface ChoiceProps {
  readonly name: "flatPlaces" | "scale_rewards";
  readonly choices: readonly ("even" | "gathered" | "group" | "batch" | "none")[];
  readonly settings: SimulatorSettings;
  readonly set: (name: keyof SimulatorSettings, value: string) => void;
}

function Choice({ name, choices, settings, set }: ChoiceProps) {
  const text = useText().simulator;
  const { label, means } = text.fields[name];
  return (
    <label className="simulator-choice">
      <span data-tip={means}>{label}</span>
      <select
        aria-description={means}
        value={settings[name]}
        onChange={({ target }) => {
          set(name, target.value);
        }}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {text.choices[choice]}
          </option>
        ))}
      </select>
    </label>
  );
}
