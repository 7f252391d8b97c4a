/** What a judge was asked and gave, in one line that grows while it works. */
import type { JudgeUsage } from "../../../domain/run/judge-usage.ts";
import { enJudge as text } from "../text/en-judge.ts";

export function JudgeCounts({ usage }: { readonly usage: JudgeUsage }) {
  const { calls, inFlight, retries, promptTokens, completionTokens, estimated } = usage;
  const { verdicts, cached, missing, lastReason } = usage;
  const asked = [
    text.calls(calls),
    ...(inFlight > 0 ? [text.inFlight(inFlight)] : []),
    text.tokens(promptTokens + completionTokens, estimated),
    ...(retries > 0 ? [text.retried(retries)] : []),
  ];
  const parts = [
    ...(calls > 0 ? asked : []),
    text.verdicts(verdicts),
    text.cached(cached),
    text.missing(missing),
  ];
  return (
    <p className="judge-counts">
      {parts.join(" · ")}
      {lastReason !== null && (
        <span className="soft">
          {text.lastReason}: {lastReason}
        </span>
      )}
    </p>
  );
}
