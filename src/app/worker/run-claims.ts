/** Which tab works on a run: one at a time, so that two tabs never write one record. */
import { PlaygroundError } from "../../base/errors.ts";

/**
 * Takes a run for this tab until the returned function is called; a closed tab gives it back.
 * @throws PlaygroundError `run-elsewhere` while another tab has it.
 */
export type ClaimRun = (id: string) => Promise<() => void>;

const PREFIX = "rubric-playground/run/";

/** The runs that some tab works on, this one's too; none where there are no locks to ask. */
export async function claimedRuns(locks: LockManager | undefined): Promise<ReadonlySet<string>> {
  try {
    const { held = [] } = (await locks?.query()) ?? {};
    return new Set(held.map(({ name = "" }) => name).flatMap((name) => name.split(PREFIX)[1] ?? []));
  } catch {
    return new Set(); // blocked site data: nothing is claimed either
  }
}

/** Claims by Web Locks. Where there are none (undefined: plain http) or site data is blocked, every claim is granted. */
export function createRunClaims(locks: LockManager | undefined): ClaimRun {
  return (id) => {
    const free = (): void => undefined;
    if (locks === undefined) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      locks
        .request(`${PREFIX}${id}`, { ifAvailable: true }, (lock) => {
          if (lock === null) throw takenElsewhere(id);
          return new Promise<void>((release) => {
            resolve(release);
          });
        })
        .catch((error: unknown) => {
          const blocked = error instanceof DOMException && error.name === "SecurityError";
          if (blocked) resolve(free);
          else reject(error instanceof Error ? error : new Error(String(error)));
        });
    });
  };
}

function takenElsewhere(id: string): PlaygroundError {
  return new PlaygroundError({
    code: "run-elsewhere",
    where: `saved run ${id}`,
    expected: "a run that no other tab works on",
    got: "one that is open in another tab",
    next: "Go on with it there, or close that tab first.",
  });
}
