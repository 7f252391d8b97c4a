/** What a judge was asked and gave, counted live. */

export interface JudgeUsage {
  /** Calls made, tries included. */
  readonly calls: number;
  readonly inFlight: number;
  /** Calls that were tried again. */
  readonly retries: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** True where a reply told no count of tokens, so that four characters were taken for one. */
  readonly estimated: boolean;
  /** Verdicts that the judge gave, those from the cache, and those that could not be had. */
  readonly verdicts: number;
  readonly cached: number;
  readonly missing: number;
  /** Newest calls in a row that got no reply; 0 as soon as one does. */
  readonly unanswered: number;
  /** Why the newest missing verdict is missing, or the newest call got no reply. */
  readonly lastReason: string | null;
}

export const NO_USAGE: JudgeUsage = {
  calls: 0,
  inFlight: 0,
  retries: 0,
  promptTokens: 0,
  completionTokens: 0,
  estimated: false,
  verdicts: 0,
  cached: 0,
  missing: 0,
  unanswered: 0,
  lastReason: null,
};

/** Most calls and tokens; null = no bound. */
export interface JudgeBudget {
  readonly maxCalls: number | null;
  readonly maxTotalTokens: number | null;
}

/** What of the budget is used up, in words; null while there is some left. */
export function spentOf(usage: JudgeUsage, { maxCalls, maxTotalTokens }: JudgeBudget): string | null {
  const tokens = usage.promptTokens + usage.completionTokens;
  if (maxCalls !== null && usage.calls >= maxCalls) return `${usage.calls} of ${maxCalls} calls`;
  if (maxTotalTokens !== null && tokens >= maxTotalTokens) return `${tokens} of ${maxTotalTokens} tokens`;
  return null;
}
