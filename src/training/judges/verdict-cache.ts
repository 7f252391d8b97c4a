/**
 * Verdicts that a judge gave, by (judge, prompt version, criterion, answer): the same question is not paid for twice, and a run
 * that is repeated meets the same verdicts. Missing ones are not kept. The oldest answers go first.
 */

interface CachedVerdict {
  readonly verdict: number;
  readonly reason: string;
}

export interface VerdictCache {
  get(answer: string, criterion: string): CachedVerdict | null;
  put(answer: string, criterion: string, verdict: CachedVerdict): void;
}

/** Answers that are remembered: a run of 60 steps has some thousands. */
const MOST_ANSWERS = 20_000;

export function createVerdictCache(mostAnswers = MOST_ANSWERS): VerdictCache {
  const byAnswer = new Map<string, Map<string, CachedVerdict>>();
  return {
    get: (answer, criterion) => byAnswer.get(answer)?.get(criterion) ?? null,
    put: (answer, criterion, verdict) => {
      let verdicts = byAnswer.get(answer);
      if (verdicts === undefined) {
        verdicts = new Map();
        byAnswer.set(answer, verdicts);
        const [oldest] = byAnswer.keys();
        if (byAnswer.size > mostAnswers && oldest !== undefined) byAnswer.delete(oldest);
      }
      verdicts.set(criterion, verdict);
    },
  };
}
