/** Runs of n words (n-grams) and how many two texts share: what BLEU and ROUGE count. */

export function runsOf(words: readonly string[], n: number): string[] {
  return words.slice(n - 1).map((_, i) => words.slice(i, i + n).join(" "));
}

export function countsOf(runs: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(run, (counts.get(run) ?? 0) + 1);
  return counts;
}

/** Each run as often as both have it. */
export function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  return [...a].reduce((sum, [run, count]) => sum + Math.min(count, b.get(run) ?? 0), 0);
}
