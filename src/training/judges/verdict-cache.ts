/**
 * Verdicts that a judge gave, by (judge, prompt version, criterion, answer): the same question is not paid for twice, and a run
 * that is repeated meets the same verdicts. Missing ones are not kept. The oldest answers go first.
 */

interface CachedVerdict {
  readonly verdict: number;
  readonly reason: string;
  /** Of a judge that tells a chance. */
  readonly pYes?: number;
}

/** A verdict with its place. Plain data. */
export interface KeptVerdict extends CachedVerdict {
  readonly answer: string;
  readonly criterion: string;
}

export interface VerdictCache {
  get(answer: string, criterion: string): CachedVerdict | null;
  put(answer: string, criterion: string, verdict: CachedVerdict): void;
  /** Forgets all. */
  clear(): void;
}

interface CacheOptions {
  /** Answers that are remembered: a run of 60 steps has some thousands. */
  readonly mostAnswers?: number;
  /** What was kept before, the oldest first. */
  readonly before?: readonly KeptVerdict[];
  /** Told of every verdict that is put in, to keep it where a later page finds it. */
  readonly onPut?: (verdict: KeptVerdict) => void;
}

export const MOST_ANSWERS = 20_000;

export function createVerdictCache({
  mostAnswers = MOST_ANSWERS,
  before = [],
  onPut = () => undefined,
}: CacheOptions = {}): VerdictCache {
  const byAnswer = new Map<string, Map<string, CachedVerdict>>();
  const enter = (answer: string, criterion: string, verdict: CachedVerdict): void => {
    const verdicts = byAnswer.get(answer) ?? new Map<string, CachedVerdict>();
    byAnswer.set(answer, verdicts.set(criterion, verdict));
    const [oldest] = byAnswer.keys();
    if (byAnswer.size > mostAnswers && oldest !== undefined) byAnswer.delete(oldest);
  };
  for (const { answer, criterion, ...verdict } of before) enter(answer, criterion, verdict);
  return {
    get: (answer, criterion) => byAnswer.get(answer)?.get(criterion) ?? null,
    put: (answer, criterion, verdict) => {
      enter(answer, criterion, verdict);
      onPut({ answer, criterion, ...verdict });
    },
    clear: () => {
      byAnswer.clear();
    },
  };
}
