/** Under the header: progress of what takes time, faults with what to do next, and the offer to go on with a saved run. */
import type { FaultMessage } from "../../../base/errors.ts";
import type { Progress } from "../../protocol/messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { duration } from "../format.ts";
import { JudgeNotice } from "../judge/judge-slot.tsx";
import { EditsNotice } from "./edits-notice.tsx";
import { PromptsNotice } from "./prompts-notice.tsx";
import { SavedRunNotice, WentOnNotice } from "./saved-run-notices.tsx";
import type { Text } from "../text/en.ts";
import { useText } from "../text/text-context.ts";

interface Props {
  readonly onWritePrompts: () => void;
  readonly onModel: () => void;
  readonly onSavedRuns: () => void;
}

export function Notices({ onWritePrompts, onModel, onSavedRuns }: Props) {
  return (
    <div className="notices">
      <ProgressLine />
      <FaultNotice onModel={onModel} />
      <KeptFaultNotice />
      <PromptsNotice onWrite={onWritePrompts} onModel={onModel} />
      <JudgeNotice />
      <EditsNotice />
      <WentOnNotice />
      <SavedRunNotice onAll={onSavedRuns} />
    </div>
  );
}

function amount({ done, total, unit }: Progress): string {
  if (unit !== "bytes") return `${String(done)} / ${String(total)}`;
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);
  return `${mb(done)} / ${mb(total)} MB`;
}

/** What is done and the time left; of training both stand in the header. */
function howFar(progress: Progress, text: Text): string {
  if (progress.phase === "train") return "";
  const left = progress.leftMs === null ? "" : text.header.left(duration(progress.leftMs));
  return [amount(progress), left].filter(Boolean).join(" · ");
}

function ProgressLine() {
  const text = useText();
  const progress = useApp((state) => state.progress);
  const loading = useApp((state) => state.run.phase === "loading");
  if (progress === null && !loading) return <div className="progress-line" />;
  const label = text.progress[progress?.phase ?? "loading"];
  return (
    <div className="progress-line" role="status">
      <span>{label}</span>
      <progress
        aria-label={label}
        max={progress?.total ?? 1}
        {...(progress === null ? {} : { value: progress.done })}
      />
      <span>{progress !== null && howFar(progress, text)}</span>
    </div>
  );
}

/** Faults of an engine that may be gone: the run goes on on a new one. */
const RELOADABLE: ReadonlySet<FaultMessage["code"]> = new Set([
  "webgpu-lost",
  "out-of-memory",
  "session-failed",
  "worker-ended",
]);

function FaultNotice({ onModel }: Pick<Props, "onModel">) {
  const text = useText().faults;
  const actions = useActions();
  const fault = useApp((state) => state.fault);
  const step = useApp((state) => state.run.step);
  const noModel = useApp((state) => state.model === null);
  if (fault === null) return null;
  return (
    <div className="notice bad" role="alert">
      <p>
        <b>{text.title}.</b> {text.codes[fault.code]} {step > 0 && text.lastGood(step)}
      </p>
      {!noModel && RELOADABLE.has(fault.code) && (
        <button type="button" className="pill small" onClick={() => void actions.recover()}>
          {text.reload}
        </button>
      )}
      {fault.code === "model-other" && (
        <button type="button" className="pill small" onClick={onModel}>
          {text.choose}
        </button>
      )}
      {!noModel && (fault.code === "diverged" || fault.code === "not-finite") && (
        <button type="button" className="pill small" onClick={() => void actions.goOnSlower(actions.train)}>
          {text.slower}
        </button>
      )}
      {noModel && (
        <button type="button" className="pill small" onClick={() => void actions.recover()}>
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
    <details open={fault.code.endsWith("-invalid") || fault.code === "model-other"}>
      <summary>{text.details}</summary>
      {fault.code}: {fault.message}
    </details>
  );
}
