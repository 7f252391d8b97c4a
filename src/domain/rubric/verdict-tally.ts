/**
 * Counts over all answers seen: how often each criterion was met, and how often two criteria were met together. What lint
 * rules read; alike on what was seen is not alike in meaning, so every count carries its number of answers.
 */
import { criterionIdentity, type Criterion } from "./schema.ts";
import type { Verdict, VerdictMatrix } from "./verdicts.ts";

/** One criterion over the answers with a verdict of it. */
export interface SeenCriterion {
  readonly answers: number;
  /** Verdicts of 1. */
  readonly met: number;
}

/** Two criteria over the answers with a verdict of both; met = a verdict of 1. */
export interface SeenPair {
  readonly answers: number;
  /** Of the first and of the second. */
  readonly met: readonly [number, number];
  readonly both: number;
  /** Answers on which the two verdicts are the same number. */
  readonly same: number;
}

export interface VerdictTally {
  /** Counts a group's verdicts, [G][C] in the criteria's order; judge noise would hide what always holds, so before it. */
  add(criteria: readonly Criterion[], verdicts: VerdictMatrix): void;
  criterion(criterion: Criterion): SeenCriterion;
  pair(first: Criterion, second: Criterion): SeenPair;
  clear(): void;
}

interface Counts {
  answers: number;
  first: number;
  second: number;
  both: number;
  same: number;
}

const UNSEEN: SeenPair = { answers: 0, met: [0, 0], both: 0, same: 0 };
/** Pairs of so many criteria, over all versions of a rubric, have keys of their own. */
const MOST_CRITERIA = 2 ** 20;

/** A criterion is known by what it asks: one whose check changed begins anew. */
export function createVerdictTally(): VerdictTally {
  const counts = new Map<number, Counts>();
  const numbers = new Map<string, number>();
  const numberOf = (identity: string): number => {
    const known = numbers.get(identity) ?? numbers.size;
    numbers.set(identity, known);
    return known;
  };
  const countsOf = (first: number, second: number): Counts => {
    const key = first * MOST_CRITERIA + second;
    const known = counts.get(key) ?? { answers: 0, first: 0, second: 0, both: 0, same: 0 };
    counts.set(key, known);
    return known;
  };
  const find = (first: Criterion, second: Criterion): Counts | undefined => {
    const [a, b] = [numbers.get(criterionIdentity(first)), numbers.get(criterionIdentity(second))];
    return a === undefined || b === undefined ? undefined : counts.get(a * MOST_CRITERIA + b);
  };
  return {
    add: (criteria, verdicts) => {
      const own = criteria.map((criterion) => numberOf(criterionIdentity(criterion)));
      own.forEach((first, i) => {
        own.forEach((second, j) => {
          if (j < i) return;
          const pair = countsOf(first, second);
          for (const row of verdicts) addAnswer(pair, row[i] ?? null, row[j] ?? null);
        });
      });
    },
    criterion: (criterion) => {
      const own = find(criterion, criterion);
      return { answers: own?.answers ?? 0, met: own?.first ?? 0 };
    },
    pair: (first, second) => {
      const forth = find(first, second);
      if (forth !== undefined) return seenPair(forth, [forth.first, forth.second]);
      const back = find(second, first);
      return back === undefined ? UNSEEN : seenPair(back, [back.second, back.first]);
    },
    clear: () => {
      counts.clear();
      numbers.clear();
    },
  };
}

function addAnswer(pair: Counts, first: Verdict, second: Verdict): void {
  if (first === null || second === null) return;
  pair.answers += 1;
  pair.first += Number(first === 1);
  pair.second += Number(second === 1);
  pair.both += Number(first === 1 && second === 1);
  pair.same += Number(first === second);
}

const seenPair = ({ answers, both, same }: Counts, met: SeenPair["met"]): SeenPair => ({
  answers,
  met,
  both,
  same,
});
