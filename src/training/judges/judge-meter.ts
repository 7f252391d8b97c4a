/** Counts what a run's judges were asked and gave, tells it, and says when the budget is spent. */
import { NO_USAGE, spentOf, type JudgeBudget, type JudgeUsage } from "../../domain/run/judge-usage.ts";

export interface JudgeMeter {
  readonly usage: JudgeUsage;
  /** Adds to the counts. */
  add(more: Partial<Record<CountName, number>>): void;
  /** Some counts are guesses: the endpoint does not tell. */
  guessed(): void;
  missing(reason: string): void;
  /** So many calls in a row got no reply, the newest for this reason; 0 = one did. */
  unanswered(calls: number, reason: string): void;
  /** What of the budget is used up; null while there is some left. */
  spent(budget: JudgeBudget): string | null;
}

type CountName = Exclude<keyof JudgeUsage, "estimated" | "unanswered" | "lastReason">;

/** @param tell called with every change */
export function createJudgeMeter(tell: (usage: JudgeUsage) => void = () => undefined): JudgeMeter {
  let usage = NO_USAGE;
  const change = (part: Partial<JudgeUsage>): void => {
    usage = { ...usage, ...part };
    tell(usage);
  };
  return {
    get usage() {
      return usage;
    },
    add: (more) => {
      const sums = Object.entries(more).map(([name, count]) => [name, usage[name as CountName] + count]);
      change(Object.fromEntries(sums) as Partial<JudgeUsage>);
    },
    guessed: () => {
      if (!usage.estimated) change({ estimated: true });
    },
    missing: (lastReason) => {
      change({ missing: usage.missing + 1, lastReason });
    },
    unanswered: (unanswered, lastReason) => {
      if (unanswered > 0) change({ unanswered, lastReason });
      else if (usage.unanswered > 0) change({ unanswered });
    },
    spent: (budget) => spentOf(usage, budget),
  };
}
