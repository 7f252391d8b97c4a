/** Train or pause, one step, stop, reset: what the run's phase takes. */
import { accepts } from "../../protocol/run-machine.ts";
import { useActions, useApp } from "../app-context.ts";
import { useLeaveRun } from "./leave-run.tsx";
import { useText } from "../text/text-context.ts";

export function RunControls() {
  const text = useText().header;
  const actions = useActions();
  const leave = useLeaveRun();
  const run = useApp((state) => state.run);
  const ready = useApp((state) => state.spec !== null && state.rubricProblem === null);
  const canStart = ready && (accepts(run, "start") || run.phase === "stopped");
  const running = run.phase === "running" || run.phase === "pausing";
  const startLabel = run.phase === "stopped" ? text.again : run.step > 0 ? text.goOn : text.train;
  return (
    <span className="run-controls">
      {running ? (
        <button
          type="button"
          className="pill main"
          disabled={run.phase === "pausing"}
          onClick={() => void actions.pause()}
        >
          <span aria-hidden>❚❚</span> {run.phase === "pausing" ? text.pausing : text.pause}
        </button>
      ) : (
        <button type="button" className="pill main" disabled={!canStart} onClick={() => void actions.train()}>
          <span aria-hidden>▶</span> {startLabel}
        </button>
      )}
      <button
        type="button"
        className="pill"
        disabled={running || !ready || !accepts(run, "start")}
        onClick={() => void actions.step()}
      >
        {text.step}
      </button>
      <button
        type="button"
        className="pill"
        disabled={!accepts(run, "stop")}
        onClick={() => void actions.stop()}
      >
        {text.stop}
      </button>
      <button
        type="button"
        className="pill"
        disabled={!ready || run.phase === "loading" || running}
        onClick={() => {
          leave(() => actions.reset());
        }}
      >
        {text.reset}
      </button>
    </span>
  );
}
