/** The offer to go on with a saved run, and from which step a run went on. */
import { useState } from "react";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { useLeaveRun } from "./leave-run.tsx";

export function SavedRunNotice({ onAll }: { readonly onAll: () => void }) {
  const text = useText();
  const { app } = usePage();
  const runs = useApp((state) => state.savedRuns);
  const leave = useLeaveRun();
  const loading = useApp((state) => state.run.phase === "loading"); // its model, once it is asked for
  const [hidden, setHidden] = useState<string | null>(null);
  const run = runs[0];
  if (run === undefined || hidden === run.id) return null;
  const scenario = app.scenarios.find((known) => known.id === run.scenarioId)?.title ?? run.scenarioId;
  const named = text.saved.named(scenario, run.spec.model?.id ?? null);
  const when = new Date(run.savedAt).toLocaleString(text.language, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  const elsewhere = run.openElsewhere === true;
  return (
    <div className="notice">
      <p>
        {text.saved.offer(named, run.step, run.maxSteps, when)} {elsewhere && text.saved.elsewhere}
      </p>
      {!elsewhere && (
        <>
          <button
            type="button"
            className="pill small"
            disabled={loading}
            onClick={() => {
              leave(() => app.actions.resumeSaved(run.id));
            }}
          >
            {text.saved.goOn}
          </button>
          <button type="button" className="pill small" onClick={() => void app.actions.deleteSaved(run.id)}>
            {text.saved.discard}
          </button>
        </>
      )}
      <button type="button" className="pill small" onClick={onAll}>
        {text.saved.all}
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

export function WentOnNotice() {
  const text = useText().saved;
  const actions = useActions();
  const wentOn = useApp((state) => state.wentOn);
  if (wentOn === null) return null;
  const { why, step, again } = wentOn;
  return (
    <div className="notice" role="status">
      <p>
        {text.wentOn[why]} {text.from(step)} {again !== null && text.again(again)}
      </p>
      <button type="button" className="pill small" onClick={actions.dismissWentOn}>
        {text.fine}
      </button>
    </div>
  );
}
