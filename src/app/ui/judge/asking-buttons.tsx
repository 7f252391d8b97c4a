/** The button that asks a judge, with a stop while it works and its live counts below. */
import type { FaultMessage } from "../../../base/errors.ts";
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { enJudge as text } from "../text/en-judge.ts";
import { JudgeCounts } from "./judge-counts.tsx";

interface ButtonsProps {
  readonly label: string;
  readonly ready: boolean;
  readonly busy: boolean;
  readonly fault: FaultMessage | null;
  readonly onAsk: () => void;
}

export function AskingButtons({ label, ready, busy, fault, onAsk }: ButtonsProps) {
  const words = useText();
  const { stopJudgeTrial } = useActions();
  const usage = useApp((state) => state.judgeUsages.trial);
  return (
    <>
      <div className="form-row">
        <button type="button" className="pill" disabled={!ready || busy} onClick={onAsk}>
          {busy ? text.asking : label}
        </button>
        {busy && (
          <button type="button" className="pill small" onClick={() => void stopJudgeTrial()}>
            {text.stop}
          </button>
        )}
      </div>
      {busy && usage !== null && <JudgeCounts usage={usage} />}
      {fault !== null && (
        <p className="form-problem" role="alert">
          {words.faults.codes[fault.code]} {fault.message}
        </p>
      )}
    </>
  );
}
