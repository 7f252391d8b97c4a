/** The set-up: model, arms with POW3R's constants, seeds, GRPO in TRL's names, judge noise, own prompts. Applying starts a fresh run. */
import { type ReactNode, useState } from "react";
import { grpoConfigSchema, loraConfigSchema } from "../../../domain/grpo/config.ts";
import { grpoPresets, type GrpoPresetName } from "../../../domain/grpo/presets.ts";
import { setUpOf } from "../../store/set-up.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { SetUpForecast } from "../models/set-up-forecast.tsx";
import { useForecast, withFittingPasses } from "../models/use-forecast.ts";
import type { FieldSpec } from "../parts/schema-fields.ts";
import { useLeaveRun } from "../header/leave-run.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import { ArmsSection } from "./arms-section.tsx";
import { checkDraft, draftOf, runFieldsSchema, type Draft } from "./draft.ts";
import { ModelSection } from "./model-section.tsx";
import { PromptsSection } from "./prompts-section.tsx";
import { CostLine } from "./cost-line.tsx";
import { fieldsOf, SettingsForm } from "./settings-form.tsx";
import "./set-up.css";

const FIELDS = {
  grpo: fieldsOf(grpoConfigSchema.omit({ lora: true })),
  lora: fieldsOf(loraConfigSchema),
  run: fieldsOf(runFieldsSchema),
} as const;
const OFTEN = ["learning_rate", "max_steps", "num_generations", "prompts_per_step", "beta", "temperature"];

interface SheetProps {
  /** Opened to write prompts. */
  readonly toPrompts: boolean;
  readonly onClose: () => void;
}

export function SetUpSheet({ toPrompts, onClose }: SheetProps) {
  const words = useText();
  const text = words.setUp;
  const leave = useLeaveRun();
  const actions = useActions();
  const { app } = usePage();
  const [opened] = useState(() => app.store.getState());
  const scenario = app.scenarios.find(({ id }) => id === opened.scenarioId) ?? app.scenarios[0];
  const [before] = useState(() => draftOf(opened, scenario));
  const [draft, setDraft] = useState(before);
  const { choice, problems } = checkDraft(draft, before, opened.refused ?? opened, words);
  const same = JSON.stringify(draft) === JSON.stringify(before);
  const change = (part: Partial<Draft>): void => {
    setDraft((old) => ({ ...old, ...part }));
  };
  const forecast = useForecast(choice && { grpo: choice.settings.grpo, arms: choice.settings.arms.length });
  const apply = (wanted: NonNullable<typeof choice>): void => {
    const { settings } = wanted;
    const grpo = withFittingPasses(settings.grpo, forecast);
    leave(() => actions.applySettings({ ...wanted, settings: { ...settings, grpo } }));
  };
  return (
    <Sheet
      title={text.title}
      onClose={onClose}
      foot={
        <>
          <button
            type="button"
            className="pill main"
            disabled={choice === null || same}
            onClick={() => {
              onClose();
              if (choice !== null) apply(choice);
            }}
          >
            {same ? text.unchanged : text.apply}
          </button>
          <span className="soft">{text.freshRun}</span>
        </>
      }
    >
      <PromptsSection
        lines={draft.promptLines}
        focus={toPrompts}
        onLines={(promptLines) => {
          change({ promptLines });
        }}
      />
      <ModelSection
        engine={draft.engine}
        onEngine={(engine) => {
          change({ engine });
        }}
      />
      <ArmsSection
        arms={draft.arms}
        setUp={setUpOf(scenario, opened.setUpId)}
        onArms={(arms) => {
          change({ arms });
        }}
      />
      <SettingsSections draft={draft} onChange={change}>
        <SetUpForecast grpo={choice?.settings.grpo ?? null} forecast={forecast} />
      </SettingsSections>
      {problems.length > 0 && (
        <ul className="form-problem" role="alert">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </Sheet>
  );
}

interface SectionsProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

function SettingsSections({ draft, onChange, children }: SectionsProps & { readonly children: ReactNode }) {
  const words = useText();
  const text = words.setUp;
  const start = useApp((state) => state.startAdapter?.start.name);
  const often = FIELDS.grpo.filter((field) => OFTEN.includes(field.name));
  const rest = FIELDS.grpo.filter((field) => !OFTEN.includes(field.name));
  return (
    <>
      <section className="set-up-section">
        <h3>{text.run}</h3>
        <Settings group="run" fields={FIELDS.run} draft={draft} onChange={onChange} />
        <CostLine draft={draft} />
        {children}
      </section>
      <section className="set-up-section">
        <h3>
          {text.grpo} <span className="soft">{text.grpoHint}</span>
        </h3>
        <Presets draft={draft} onChange={onChange} />
        <Settings group="grpo" fields={often} draft={draft} onChange={onChange} />
        <details>
          <summary>{text.more}</summary>
          <Settings group="grpo" fields={rest} draft={draft} onChange={onChange} />
          {start === undefined ? (
            <Settings group="lora" fields={FIELDS.lora} draft={draft} onChange={onChange} />
          ) : (
            <p className="soft">{words.adapters.start.settings(start)}</p>
          )}
        </details>
      </section>
    </>
  );
}

interface SettingsProps extends SectionsProps {
  readonly group: keyof typeof FIELDS;
  readonly fields: readonly FieldSpec[];
}

function Settings({ group, fields, draft, onChange }: SettingsProps) {
  return (
    <SettingsForm
      group={group}
      fields={fields}
      values={draft[group]}
      onChange={(values) => {
        onChange({ [group]: values });
      }}
    />
  );
}

function Presets({ draft, onChange }: SectionsProps) {
  const names = Object.keys(grpoPresets) as GrpoPresetName[];
  const isSet = (name: GrpoPresetName): boolean =>
    Object.entries(grpoPresets[name].values).every(
      ([key, value]) => key === "lora" || draft.grpo[key] === value,
    );
  return (
    <div className="presets">
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className="pill small"
          aria-pressed={isSet(name)}
          data-tip={grpoPresets[name].description}
          onClick={() => {
            const { lora, ...grpo } = { lora: undefined, ...grpoPresets[name].values };
            onChange({ grpo: { ...draft.grpo, ...grpo }, ...(lora === undefined ? {} : { lora }) });
          }}
        >
          {grpoPresets[name].title}
        </button>
      ))}
    </div>
  );
}
