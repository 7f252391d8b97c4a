/** A job of the simulator in short steps, so that a newer one can take its place between two of them. Pure but for its clock. */
import { simulateSeed, summariseRules, type SeedRuns } from "../../domain/simulator/compare-rules.ts";
import { mapCellCount, simulatedMap } from "../../domain/simulator/simulated-map.ts";
import type { SimulatorJob, SimulatorProgress } from "./messages.ts";

/** A picture of the seeds so far is worth drawing this often. */
const PICTURE_EVERY_MS = 120;

/**
 * Yields after every seed or cell: what is worth telling, or null. The last one is always told.
 *
 * @param now milliseconds
 */
export function* jobSteps(
  job: SimulatorJob,
  now: () => number,
): Generator<SimulatorProgress | null, void, void> {
  if (job.kind === "compare") yield* comparisonSteps(job, now);
  else yield* mapSteps(job);
}

function* comparisonSteps(
  { settings, rules }: Extract<SimulatorJob, { kind: "compare" }>,
  now: () => number,
): Generator<SimulatorProgress | null, void, void> {
  const total = settings.seeds;
  const runs: SeedRuns[] = [];
  let toldAt = now();
  for (let done = 1; done <= total; done++) {
    runs.push(simulateSeed(settings, rules, done));
    const due = done === total || now() - toldAt >= PICTURE_EVERY_MS;
    if (due) toldAt = now();
    yield due ? { kind: "compare", done, total, comparison: summariseRules(settings, rules, runs) } : null;
  }
}

function* mapSteps({
  settings,
}: Extract<SimulatorJob, { kind: "map" }>): Generator<SimulatorProgress, void, void> {
  let done = 0;
  for (const cell of simulatedMap(settings)) {
    done++;
    yield { kind: "map", done, total: mapCellCount, cell };
  }
}
