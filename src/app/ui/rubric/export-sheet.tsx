/** The rubric in the forms of other tools: what a form cannot hold is said in its place. */
import { useState } from "react";
import {
  exportRubric,
  exportTargets,
  type ExportName,
} from "../../../domain/rubric/formats/export-rubric.ts";
import type { RunSpec } from "../../../domain/run/spec.ts";
import type { RubricSet } from "../../../domain/rubric/formats/rubric-set.ts";
import { useActions, useApp } from "../app-context.ts";
import { saveFile } from "../parts/save-file.ts";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import "./import.css";

const NAMES = Object.keys(exportTargets) as ExportName[];

export function ExportSheet() {
  const text = useText().importing;
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const spec = useApp((state) => state.spec);
  const own = useApp((state) => state.prompts !== null);
  const [withPrompts, setWithPrompts] = useState(own);
  const prompts = withPrompts && spec !== null ? promptsOf(spec) : [];
  const set: RubricSet = { ...rubric, prompts };
  return (
    <Sheet
      title={text.saveTitle}
      onClose={() => {
        actions.askRubric(null);
      }}
    >
      <label className="import-form">
        <input
          type="checkbox"
          data-first-focus
          checked={withPrompts}
          onChange={({ target }) => {
            setWithPrompts(target.checked);
          }}
        />
        <span>{text.withPrompts}</span>
      </label>
      <ul className="export-forms">
        {NAMES.map((name) => (
          <Form key={name} name={name} set={set} />
        ))}
      </ul>
    </Sheet>
  );
}

const REASONS_SHOWN = 3;

function Form({ name, set }: { readonly name: ExportName; readonly set: RubricSet }) {
  const text = useText().importing;
  const { title, extension, misses } = exportTargets[name];
  const reasons: readonly string[] = misses(set);
  return (
    <li>
      <button
        type="button"
        className="pill"
        disabled={reasons.length > 0}
        onClick={() => {
          saveFile("rubric", extension, exportRubric(set, name));
        }}
      >
        {text.save} {title}
      </button>
      {reasons.length > 0 && (
        <p className="soft">
          {text.cannot} {reasons.slice(0, REASONS_SHOWN).join("; ")}
          {reasons.length > REASONS_SHOWN && `; ${text.more(reasons.length - REASONS_SHOWN)}`}.
        </p>
      )}
    </li>
  );
}

/** All prompts of the run, each once. */
function promptsOf(spec: RunSpec): RubricSet["prompts"] {
  const seen = new Set<string>();
  return [...spec.trainPrompts, ...spec.heldOutPrompts].filter(({ messages }) => {
    const words = JSON.stringify(messages);
    return !seen.has(words) && seen.add(words);
  });
}
