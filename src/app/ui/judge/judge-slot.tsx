/** Where the judge comes in: a line that says how its work stands or that it is missing, and its sheet, which comes as a chunk of its own. */
import { lazy } from "react";
import type { JudgeUsage } from "../../../domain/run/judge-usage.ts";
import { useActions, useApp } from "../app-context.ts";
import { PartBoundary } from "../parts/part-boundary.tsx";
import { useText } from "../text/text-context.ts";

const JudgeSheet = lazy(async () => ({ default: (await import("./judge-sheet.tsx")).JudgeSheet }));

export function JudgeSlot() {
  const { askJudge } = useActions();
  const asked = useApp((state) => state.askedJudge);
  const close = (): void => {
    askJudge(false);
  };
  return <PartBoundary onClose={close}>{asked && <JudgeSheet onClose={close} />}</PartBoundary>;
}

/** Criteria that count and that nobody reads, or the counts of who does. */
export function JudgeNotice() {
  const text = useText().judge;
  const { askJudge } = useActions();
  const open = useApp(
    (state) => state.rubric.criteria.filter(({ check, weight }) => check === null && weight > 0).length,
  );
  const judged = useApp((state) => (state.spec ?? state.settings).judge !== undefined);
  const usage = useApp((state) => state.judgeUsages.training);
  if (open === 0 && !judged) return null;
  return (
    <div className="notice">
      <p>
        {judged ? said(text, usage) : text.needed(open)}
        {usage !== null && usage.unanswered > 1 && (
          <>
            <br />
            <b role="status">{text.silent(usage.unanswered, usage.lastReason ?? "")}</b>
          </>
        )}
      </p>
      <button
        type="button"
        className="pill small"
        onClick={() => {
          askJudge(true);
        }}
      >
        {judged ? text.open : text.choose}
      </button>
    </div>
  );
}

function said(text: ReturnType<typeof useText>["judge"], usage: JudgeUsage | null): string {
  if (usage === null) return text.ready;
  const { calls, inFlight: open, promptTokens, completionTokens, verdicts, cached, missing } = usage;
  return text.counts({ calls, open, tokens: promptTokens + completionTokens, verdicts, cached, missing });
}
