/** Under the header: progress of what takes time, faults with what to do next, and the offer to go on with a saved run. */
import type { FaultMessage } from "../../../base/errors.ts";
import type { Progress } from "../../protocol/messages.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { duration } from "../format.ts";
import { EditsNotice } from "./edits-notice.tsx";
import { useLeaveRun } from "./leave-run.tsx";
import { PromptsNotice } from "./prompts-notice.tsx";
import { useText } from "../text/text-context.ts";
import { useState } from "react";

export function Notices({ onWritePrompts }: { readonly onWritePrompts: () => void }) {
  return (
    <div className="notices">
      <ProgressLine />
      <FaultNotice />
      <KeptFaultNotice />
      <PromptsNotice onWrite={onWritePrompts} />
      <EditsNotice />
      <SavedRunNotice />
    </div>
  );
}

function amount({ done, total, unit }: Progress): string {
  if (unit !== "bytes") return `${String(done)} / ${String(total)}`;
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);
  return `${mb(done)} / ${mb(total)} MB`;
}

function ProgressLine() {
  const text = useText();
  const progress = useApp((state) => state.progress);
  const loading = useApp((state) => state.run.phase === "loading");
  if (progress === null && !loading) return <div className="progress-line" />;
  const label = text.progress[progress?.phase ?? "loading"];
  const left = progress?.leftMs ?? null;
  return (
    <div className="progress-line" role="status">
      <span>{label}</span>
      <progress
        aria-label={label}
        max={progress?.total ?? 1}
        {...(progress === null ? {} : { value: progress.done })}
      />
      <span>
        {progress !== null && amount(progress)}
        {left !== null && ` · ${text.header.left(duration(left))}`}
      </span>
    </div>
  );
}

function FaultNotice() {
  const text = useText().faults;
  const actions = useActions();
  const fault = useApp((state) => state.fault);
  const step = useApp((state) => state.run.step);
  const engineChoice = useApp((state) => state.engineChoice);
  const noModel = useApp((state) => state.model === null);
  if (fault === null) return null;
  return (
    <div className="notice bad" role="alert">
      <p>
        <b>{text.title}.</b> {text.codes[fault.code]} {step > 0 && text.lastGood(step)}
      </p>
      {noModel && (
        <button type="button" className="pill small" onClick={() => void actions.chooseEngine(engineChoice)}>
          {text.retry}
        </button>
      )}
      <button type="button" className="pill small" onClick={actions.dismissFault}>
        {text.dismiss}
      </button>
      <FaultDetails fault={fault} />
    </div>
  );
}

/** Something kept from an earlier visit that could not be used, or that nothing can be kept. */
function KeptFaultNotice() {
  const text = useText().faults;
  const actions = useActions();
  const fault = useApp((state) => state.keptFault);
  if (fault === null) return null;
  return (
    <div className="notice" role="alert">
      <p>{text.codes[fault.code]}</p>
      <button type="button" className="pill small" onClick={actions.dismissKeptFault}>
        {text.dismiss}
      </button>
      <FaultDetails fault={fault} />
    </div>
  );
}

function FaultDetails({ fault }: { readonly fault: FaultMessage }) {
  const text = useText().faults;
  return (
    <details open={fault.code.endsWith("-invalid")}>
      <summary>{text.details}</summary>
      {fault.code}: {fault.message}
    </details>
  );
}

function SavedRunNotice() {
  const text = useText();
  const { app } = usePage();
  const runs = useApp((state) => state.savedRuns);
  const leave = useLeaveRun();
  const [hidden, setHidden] = useState<string | null>(null);
  const run = runs[0];
  if (run === undefined || hidden === run.id) return null;
  const scenario = app.scenarios.find((known) => known.id === run.scenarioId)?.title ?? run.scenarioId;
  const when = new Date(run.savedAt).toLocaleString(text.language, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return (
    <div className="notice">
      <p>{text.saved.offer(scenario, run.step, run.maxSteps, when)}</p>
      <button
        type="button"
        className="pill small"
        onClick={() => {
          leave(() => app.actions.resumeSaved(run.id));
        }}
      >
        {text.saved.goOn}
      </button>
      <button type="button" className="pill small" onClick={() => void app.actions.deleteSaved(run.id)}>
        {text.saved.discard}
      </button>
      <button
        type="button"
        className="pill small"
        onClick={() => {
          setHidden(run.id);
        }}
      >
        {text.saved.later}
      </button>
    </div>
  );
}
