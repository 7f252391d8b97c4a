/** A rubric that was opened, before anything is replaced: how its file reads, what of it is taken, what a program checks of it. */
import { useEffect, useMemo, useState, type ReactNode } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import type { ImportedRubric } from "../../../domain/rubric/formats/import-rubric.ts";
import { formatNames, formatTitle, type FormatName } from "../../../domain/rubric/formats/registry.ts";
import { suggestedPrompts, takePrompts } from "../../../domain/rubric/formats/take-prompts.ts";
import { startImport } from "../../importer/client.ts";
import workerUrl from "../../importer/import-worker.ts?worker&url";
import type { AskedFile } from "../../store/app-state.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useLeaveRun } from "../header/leave-run.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import { ImportPreview } from "./import-preview.tsx";
import "./import.css";

interface SheetProps {
  readonly asked: AskedFile;
  readonly onModel: () => void;
}

type Reading =
  { readonly progress: number } | { readonly imported: ImportedRubric } | { readonly fault: FaultMessage };

function useImport(asked: AskedFile, format: FormatName | null): Reading {
  const [reading, setReading] = useState<Reading>({ progress: 0 });
  useEffect(() => startImport(workerUrl, { ...asked, format }, setReading), [asked, format]);
  return reading;
}

export function ImportSheet({ asked, onModel }: SheetProps) {
  const text = useText().importing;
  const actions = useActions();
  const [format, setFormat] = useState<FormatName | null>(null);
  const reading = useImport(asked, format);
  const close = (): void => {
    actions.askRubric(null);
  };
  const form = (
    <label className="import-form">
      <span>{text.form}</span>
      <select
        data-first-focus
        value={format ?? ""}
        onChange={({ target }) => {
          setFormat(formatNames.find((name) => name === target.value) ?? null);
        }}
      >
        <option value="">{text.itself}</option>
        {formatNames.map((name) => (
          <option key={name} value={name}>
            {formatTitle(name)}
          </option>
        ))}
      </select>
    </label>
  );
  if ("imported" in reading) {
    return (
      <TakeSheet
        key={reading.imported.format}
        asked={asked}
        imported={reading.imported}
        form={form}
        onClose={close}
        onModel={onModel}
      />
    );
  }
  return (
    <Sheet title={text.title} onClose={close} wide>
      {form}
      {"fault" in reading ? (
        <div className="form-problem" role="alert">
          <FaultLines message={reading.fault.message} />
          <p>{text.kept}</p>
        </div>
      ) : (
        <p role="status">
          {text.reading} <progress aria-label={text.reading} value={reading.progress} max={1} />
        </p>
      )}
    </Sheet>
  );
}

/** The first fault and each further one on a line of its own. */
function FaultLines({ message }: { readonly message: string }) {
  const [first = "", rest] = message.split(" Further problems: ");
  return (
    <>
      <p>{first}</p>
      {rest !== undefined && (
        <ul>
          {rest
            .replace(/\.$/, "")
            .split("; ")
            .map((line, i) => (
              <li key={i}>{line}</li>
            ))}
        </ul>
      )}
    </>
  );
}

interface TakeProps extends SheetProps {
  readonly imported: ImportedRubric;
  readonly form: ReactNode;
  readonly onClose: () => void;
}

const FIRST_SEED = 1;

function TakeSheet({ asked, imported, form, onClose, onModel }: TakeProps) {
  const text = useText().importing;
  const actions = useActions();
  const leave = useLeaveRun();
  const loading = useApp((state) => state.run.phase === "loading");
  const { set, format, notes } = imported;
  const [seed, setSeed] = useState(FIRST_SEED);
  const [count, setCount] = useState(() => suggestedPrompts(set, FIRST_SEED));
  const taken = useMemo(() => takePrompts(set, count, seed), [set, count, seed]);
  const prompts = taken.prompts.length;
  const { app } = usePage();
  const [refused, setRefused] = useState<FaultMessage | null>(null);
  /** What is refused stays open: other prompts can be drawn. */
  const take = async (): Promise<void> => {
    await actions.takeRubric(taken);
    const { fault } = app.store.getState();
    setRefused(fault);
    if (fault === null) onClose();
  };
  const use = (): void => {
    if (prompts === 0) void take();
    else leave(take);
  };
  return (
    <Sheet
      title={text.title}
      onClose={onClose}
      wide
      foot={
        <>
          <button type="button" className="pill main" disabled={loading} onClick={use}>
            {text.replace(prompts)}
          </button>
          <span className="soft">{prompts === 0 ? text.replaceHint : text.startHint}</span>
        </>
      }
    >
      {form}
      <p>
        {text.isForm(asked.name, formatTitle(format))} {text.holds(set.prompts.length, set.criteria.length)}
      </p>
      {notes.length > 0 && (
        <ul className="soft import-notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {set.prompts.length > 1 && (
        <TakeFields
          most={set.prompts.length}
          count={count}
          seed={seed}
          criteria={taken.criteria.length}
          onCount={setCount}
          onSeed={setSeed}
        />
      )}
      {refused !== null && (
        <p className="form-problem" role="alert">
          {refused.message} {set.prompts.length > 1 && text.drawOthers}
        </p>
      )}
      <ImportPreview set={taken} onModel={onModel} />
    </Sheet>
  );
}

interface TakeFieldsProps {
  readonly most: number;
  readonly count: number;
  readonly seed: number;
  readonly criteria: number;
  readonly onCount: (count: number) => void;
  readonly onSeed: (seed: number) => void;
}

const MOST_TAKEN = 512;

function TakeFields({ most, count, seed, criteria, onCount, onSeed }: TakeFieldsProps) {
  const text = useText().importing;
  const heldOut = count < 4 ? 0 : Math.floor(count / 4);
  return (
    <div className="import-take">
      <NumberField
        label={text.take}
        value={count}
        least={1}
        most={Math.min(most, MOST_TAKEN)}
        onValue={onCount}
      />
      <NumberField label={text.seed} value={seed} least={0} most={2 ** 32 - 1} onValue={onSeed} />
      <p className="soft">
        {text.takeHint(criteria)} {text.heldOut(heldOut)}
      </p>
    </div>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly onValue: (value: number) => void;
}

/** A whole number; what is typed counts as soon as it is one in the bounds. */
function NumberField({ label, value, least, most, onValue }: NumberFieldProps) {
  const [typed, setTyped] = useState(String(value));
  return (
    <label className="import-form">
      <span>{label}</span>
      <input
        type="number"
        value={typed}
        min={least}
        max={most}
        onChange={({ target }) => {
          setTyped(target.value);
          const number = Number(target.value);
          if (target.value !== "" && Number.isInteger(number) && number >= least && number <= most)
            onValue(number);
        }}
      />
    </label>
  );
}
