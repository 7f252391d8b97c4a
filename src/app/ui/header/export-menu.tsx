/** The run as files, out and in: every raw row (not what the charts show), adapters, settings, the rubric. */
import { useRef, type FocusEvent, type KeyboardEvent } from "react";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { useLeaveRun } from "./leave-run.tsx";

const TYPES = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  json: "application/json",
  zip: "application/zip",
} as const;

function saveFile(name: string, type: keyof typeof TYPES, content: string | Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([content], { type: TYPES[type] }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.${type}`;
  link.click();
  URL.revokeObjectURL(url);
}

/** What can be saved, by the name of its text; `needs` is the run's part without which there is nothing. */
function useSavers() {
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
  ] as const;
}

export function ExportMenu() {
  const text = useText().files;
  const menu = useRef<HTMLDetailsElement>(null);
  const savers = useSavers();
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
        <OpenButtons onChosen={close} />
      </div>
    </details>
  );
}

function OpenButtons({ onChosen }: { readonly onChosen: () => void }) {
  const { files: text, compare } = useText();
  const actions = useActions();
  const leave = useLeaveRun();
  const loading = useApp((state) => state.run.phase === "loading" || state.spec === null);
  return (
    <>
      <span className="soft">{text.open}</span>
      <OpenButton
        label={text.openSettings}
        disabled={loading}
        onFile={(content, name) => {
          onChosen();
          leave(() => actions.openSettingsFile(content, name));
        }}
      />
      <OpenButton
        label={compare.files.open}
        disabled={loading}
        onFile={(content, name) => {
          onChosen();
          void actions.readExperiment(content, name).then((cells) => {
            if (cells === 1) leave(() => actions.openCell(0));
          });
        }}
      />
      <OpenButton
        label={text.openRubric}
        disabled={loading}
        onFile={(content, name) => {
          onChosen();
          actions.openRubricFile(content, name);
        }}
      />
    </>
  );
}

interface OpenProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly onFile: (content: string, name: string) => void;
}

function OpenButton({ label, disabled, onFile }: OpenProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label={label}
        hidden
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = "";
          if (file !== undefined)
            void file.text().then((content) => {
              onFile(content, file.name);
            });
        }}
      />
    </>
  );
}
