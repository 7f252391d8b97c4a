/** The page's jobs to the simulator: one comparison or one map at a time, the newest picture of each kept while the next is on its way. */
import { useEffect, useRef, useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import type { MapCell } from "../../../domain/experiment/map-data.ts";
import type { Comparison } from "../../../domain/simulator/compare-rules.ts";
import type { SimulatorClient } from "../../simulator/client.ts";
import type { SimulatorJob, SimulatorProgress } from "../../simulator/messages.ts";

/** A slider that is being moved asks once it rests this long. */
const REST_MS = 150;
/** A picture of fewer seeds would only jump about. */
const FIRST_PICTURE = 5;

export interface Simulation {
  readonly comparison: Comparison | null;
  /** The map's cells at the settings it was made for. */
  readonly cells: readonly MapCell[];
  readonly done: number;
  readonly total: number;
  readonly fault: FaultMessage | null;
}

const NOTHING: Simulation = { comparison: null, cells: [], done: 0, total: 0, fault: null };

/** Starts the job, and again whenever what it asks changes; null asks nothing. */
export function useSimulation(makeClient: () => SimulatorClient, job: SimulatorJob | null): Simulation {
  const [state, setState] = useState(NOTHING);
  const client = useRef<SimulatorClient | null>(null);
  const asked = job === null ? null : JSON.stringify(job);
  const first = useRef(true);
  useEffect(() => {
    if (asked === null) return;
    const timer = window.setTimeout(
      () => {
        client.current ??= makeClient();
        client.current.start(JSON.parse(asked) as SimulatorJob, {
          onProgress: (progress) => {
            setState((before) => after(before, progress));
          },
          onFault: (fault) => {
            setState((before) => ({ ...before, fault }));
          },
        });
      },
      first.current ? 0 : REST_MS,
    );
    first.current = false;
    return () => {
      window.clearTimeout(timer);
    };
  }, [asked, makeClient]);
  useEffect(
    () => () => {
      client.current?.close();
      client.current = null;
    },
    [],
  );
  return state;
}

function after(before: Simulation, progress: SimulatorProgress): Simulation {
  const { done, total } = progress;
  if (progress.kind === "map") {
    const others = before.cells.filter((cell) => !samePlace(cell, progress.cell));
    return { ...before, cells: [...others, progress.cell], done, total, fault: null };
  }
  const drawn = done >= Math.min(FIRST_PICTURE, total);
  return { ...before, comparison: drawn ? progress.comparison : before.comparison, done, total, fault: null };
}

function samePlace(a: MapCell, b: MapCell): boolean {
  return a.judgeNoise === b.judgeNoise && a.flatWeight === b.flatWeight;
}
