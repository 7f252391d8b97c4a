/** The run as files, out and in: every raw row (not what the charts show), adapters, settings, the rubric. */
import { useRef, type FocusEvent, type KeyboardEvent } from "react";
import { useActions, useApp, usePage } from "../app-context.ts";
import { saveFile } from "../parts/save-file.ts";
import { useText } from "../text/text-context.ts";
import { useLeaveRun } from "./leave-run.tsx";

/** What can be saved, by the name of its text; `needs` is the run's part without which there is nothing. */
function useSavers(onMerged: () => void) {
  const { app, exporters } = usePage();
  const actions = useActions();
  const name = useApp((state) => `${state.scenarioId}-seed${state.settings.seeds.join("-")}`);
  const step = useApp((state) => state.run.step);
  const noRun = useApp((state) => state.spec === null);
  const noRows = useApp((state) => state.rowsVersion === 0);
  const rows = async (kind: "csv" | "jsonl"): Promise<void> => {
    const all = await app.actions.exportRows();
    if (all.length > 0) saveFile(name, kind, exporters[kind](all));
  };
  return [
    { text: "csv", empty: noRun || noRows, save: () => rows("csv") },
    { text: "jsonl", empty: noRun || noRows, save: () => rows("jsonl") },
    {
      text: "adapters",
      empty: noRun || step === 0,
      save: async () => {
        const zip = await actions.exportAdapters();
        if (zip !== null) saveFile(`${name}-adapters`, "zip", zip);
      },
    },
    {
      text: "merged",
      empty: noRun || step === 0,
      save: () => {
        onMerged();
        return Promise.resolve();
      },
    },
    {
      text: "run",
      empty: noRun,
      save: async () => {
        const zip = await actions.exportRun();
        if (zip !== null) saveFile(`${name}-run`, "zip", zip);
      },
    },
    {
      text: "runSettings",
      empty: noRun,
      save: async () => {
        const file = await actions.exportSettings();
        if (file !== null) saveFile(`${name}-settings`, "json", file);
      },
    },
    {
      text: "rubric",
      empty: false,
      save: () => {
        saveFile(`${name}-rubric`, "json", actions.exportRubric());
        return Promise.resolve();
      },
    },
    {
      text: "rubricForms",
      empty: false,
      save: () => {
        actions.askRubric("save");
        return Promise.resolve();
      },
    },
  ] as const;
}

interface MenuProps {
  readonly onSavedRuns: () => void;
  readonly onStart: () => void;
  readonly onMerged: () => void;
}

export function ExportMenu({ onSavedRuns, onStart, onMerged }: MenuProps) {
  const text = useText().files;
  const menu = useRef<HTMLDetailsElement>(null);
  const savers = useSavers(onMerged);
  const close = (): void => {
    if (menu.current !== null) menu.current.open = false;
  };
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    close();
    menu.current?.querySelector("summary")?.focus();
  };
  const closeOutside = ({ relatedTarget, currentTarget }: FocusEvent): void => {
    if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) close();
  };
  return (
    <details ref={menu} className="export-menu" onKeyDown={closeOnEscape} onBlur={closeOutside}>
      <summary className="pill">{text.menu}</summary>
      <div>
        <span className="soft">{text.save}</span>
        {savers.map((saver) => (
          <button
            key={saver.text}
            type="button"
            disabled={saver.empty}
            data-tip={text.means[saver.text]}
            onClick={() => {
              close();
              void saver.save();
            }}
          >
            {text[saver.text]}
          </button>
        ))}
        <OpenButtons onChosen={close} onSavedRuns={onSavedRuns} onStart={onStart} />
      </div>
    </details>
  );
}

interface OpenButtonsProps extends Omit<MenuProps, "onMerged"> {
  readonly onChosen: () => void;
}

function OpenButtons({ onChosen, onSavedRuns, onStart }: OpenButtonsProps) {
  const { files: text, compare } = useText();
  const actions = useActions();
  const leave = useLeaveRun();
  const loading = useApp((state) => state.run.phase === "loading" || state.spec === null);
  return (
    <>
      <span className="soft">{text.open}</span>
      <button
        type="button"
        disabled={loading}
        onClick={() => {
          onChosen();
          onSavedRuns();
        }}
      >
        {text.openSaved}
      </button>
      <OpenButton
        label={text.openSettings}
        disabled={loading}
        onFile={(file) => {
          onChosen();
          void file.text().then((content) => {
            leave(() => actions.openSettingsFile(content, file.name));
          });
        }}
      />
      <OpenButton
        label={compare.files.open}
        disabled={loading}
        onFile={(file) => {
          onChosen();
          void file
            .text()
            .then((content) => actions.readExperiment(content, file.name))
            .then((cells) => {
              if (cells === 1) leave(() => actions.openCell(0));
            });
        }}
      />
      <OpenButton
        label={text.openRubric}
        disabled={loading}
        accept=".json,.jsonl,.ndjson,.yaml,.yml,.csv,.tsv,.txt"
        onFile={(file) => {
          onChosen();
          actions.askRubric({ file, name: file.name });
        }}
      />
      <button
        type="button"
        disabled={loading}
        onClick={() => {
          onChosen();
          onStart();
        }}
      >
        {text.openAdapter}
      </button>
    </>
  );
}

interface OpenProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly accept?: string;
  readonly onFile: (file: File) => void;
}

function OpenButton({ label, disabled, accept = ".json,application/json", onFile }: OpenProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        hidden
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = "";
          if (file !== undefined) onFile(file);
        }}
      />
    </>
  );
}
