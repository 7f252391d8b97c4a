/** What the page asks the simulator's worker, and what it answers. A newer job takes the place of the one that runs. */
import type { FaultMessage } from "../../base/errors.ts";
import type { MapCell } from "../../domain/experiment/map-data.ts";
import type { RewardRuleName } from "../../domain/run/spec.ts";
import type { Comparison } from "../../domain/simulator/compare-rules.ts";
import type { SimulatorSettings } from "../../domain/simulator/settings.ts";

/** Rules side by side over the settings' seeds, or the map's cells at these settings. */
export type SimulatorJob =
  | {
      readonly kind: "compare";
      readonly settings: SimulatorSettings;
      readonly rules: readonly RewardRuleName[];
    }
  | { readonly kind: "map"; readonly settings: SimulatorSettings };

/** What a job has so far; `done` of `total` seeds or cells. */
export type SimulatorProgress =
  | {
      readonly kind: "compare";
      readonly done: number;
      readonly total: number;
      /** Over the finished seeds. */
      readonly comparison: Comparison;
    }
  | {
      readonly kind: "map";
      readonly done: number;
      readonly total: number;
      /** The newest cell. */
      readonly cell: MapCell;
    };

export interface ToSimulator {
  /** Of the job; its answers carry it. */
  readonly id: number;
  readonly job: SimulatorJob;
}

export type FromSimulator =
  | { readonly id: number; readonly progress: SimulatorProgress }
  | { readonly id: number; readonly fault: FaultMessage };
