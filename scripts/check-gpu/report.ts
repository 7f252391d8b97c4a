/** How the GPU check prints what it does. */

const startedAt = performance.now();

/** Since the check began. */
export const seconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10;

export function say(line: string): void {
  process.stdout.write(`${seconds().toFixed(1).padStart(7)} s  ${line}\n`);
}

/** Short enough to read, exact enough to compare. */
export function brief(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "number" && !Number.isInteger(each) ? Number(each.toPrecision(4)) : each,
  );
}
