/** The map: speed-up or final score of each rule over judge noise x weight on flat criteria, simulated and really trained. */
import { useEffect, useState } from "react";
import type { MapCell, MapData } from "../../../domain/experiment/map-data.ts";
import type { Tone } from "../../../domain/experiment/map-reading.ts";
import { BASELINE } from "../../../domain/simulator/compare-rules.ts";
import { useText } from "../text/text-context.ts";
import { HeatMap, type Measure, type OpenCell } from "./heat-map.tsx";
import { loadTrainedMap } from "./trained-map.ts";

interface MapViewProps {
  /** The simulator's cells so far. */
  readonly cells: readonly MapCell[];
  readonly seeds: number;
  readonly onOpen: OpenCell;
}

/** Always drawn, in this order; the map may hold more arms. */
const ARMS = ["pow3r", "category-balanced", "gdpo"] as const;
const TONES: readonly Tone[] = [-2, -1, 0, 1, 2, 3];

export function MapView({ cells, seeds, onOpen }: MapViewProps) {
  const text = useText().simulator.map;
  const [measure, setMeasure] = useState<Measure>("speed");
  const trained = useTrainedMap();
  const trainedCells = trained?.cells.filter(({ source }) => source === "training") ?? [];
  const drawn = { measure, onOpen };
  return (
    <div className="map-view">
      <div className="map-head">
        <p className="soft">{text.about}</p>
        <span className="arm-switch" role="group" aria-label={text.measureLabel}>
          {(["speed", "score"] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={measure === name}
              onClick={() => {
                setMeasure(name);
              }}
            >
              {text.measures[name]}
            </button>
          ))}
        </span>
      </div>
      <section>
        <h3>{text.simulated(seeds)}</h3>
        <div className="heat-maps">
          {ARMS.map((arm) => (
            <HeatMap key={arm} arm={arm} rule={arm} baseline={BASELINE} cells={cells} {...drawn} />
          ))}
        </div>
      </section>
      <section>
        <h3>{text.trained}</h3>
        {trained === null || trainedCells.length === 0 ? (
          <p className="soft">{text.untrained}</p>
        ) : (
          <div className="heat-maps">
            {armsOf(trained, trainedCells).map(({ arm, rule }) => (
              <HeatMap
                key={arm}
                arm={arm}
                rule={rule}
                baseline={trained.baseline}
                cells={trainedCells}
                {...drawn}
              />
            ))}
          </div>
        )}
      </section>
      <p className="tone-key soft">
        <span>{text.key}</span>
        {TONES.map((tone, at) => (
          <span key={tone}>
            <i className={`tone tone-${String(at)}`} aria-hidden />
            {text.tones[at]}
          </span>
        ))}
      </p>
    </div>
  );
}

/** The arms of a map beside its baseline, in the order of its cells. */
function armsOf({ baseline }: MapData, cells: readonly MapCell[]): MapCell["arms"] {
  const arms = cells.flatMap((cell) => cell.arms);
  return arms.filter(
    ({ arm }, at) => arm !== baseline && arms.findIndex((other) => other.arm === arm) === at,
  );
}

function useTrainedMap(): MapData | null {
  const [map, setMap] = useState<MapData | null>(null);
  useEffect(() => {
    void loadTrainedMap().then(setMap);
  }, []);
  return map;
}
