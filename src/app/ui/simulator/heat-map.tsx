/** One rule's heat map: judge noise down, weight on flat criteria across; a cell says in words which side it falls to. */
import type { MapCell } from "../../../domain/experiment/map-data.ts";
import { readCell, type CellReading } from "../../../domain/experiment/map-reading.ts";
import type { RewardRuleName } from "../../../domain/run/spec.ts";
import { mapFlatWeights, mapJudgeNoises } from "../../../domain/simulator/simulated-map.ts";
import { percent } from "../format.ts";
import { Explained } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { useRuleLooks } from "./rule-looks.ts";
import { factorText, gainText, scoreText } from "./score-text.ts";

export type Measure = "speed" | "score";
/** Opens a cell in the simulator. */
export type OpenCell = (cell: Pick<MapCell, "judgeNoise" | "flatWeight">) => void;

interface HeatMapProps {
  readonly arm: string;
  readonly rule: RewardRuleName;
  readonly baseline: string;
  readonly cells: readonly MapCell[];
  readonly measure: Measure;
  readonly onOpen: OpenCell;
}

export function HeatMap({ arm, rule, baseline, cells, measure, onOpen }: HeatMapProps) {
  const text = useText().simulator.map;
  const look = useRuleLooks()[rule];
  const name = arm === rule ? look.name : arm;
  const weights = axis(cells, "flatWeight", mapFlatWeights);
  return (
    <table className="heat-map">
      <caption>
        <i style={{ background: look.color }} aria-hidden /> <Explained means={look.means}>{name}</Explained>
      </caption>
      <thead>
        <tr>
          <td className="soft">{text.flips}</td>
          {weights.map((weight) => (
            <th key={weight} scope="col">
              {text.weights(String(weight))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {axis(cells, "judgeNoise", mapJudgeNoises).map((judgeNoise) => (
          <tr key={judgeNoise}>
            <th scope="row">{percent(judgeNoise)}</th>
            {weights.map((flatWeight) => {
              const cell = cells.find(
                (other) => other.judgeNoise === judgeNoise && other.flatWeight === flatWeight,
              );
              const reading = cell === undefined ? null : readCell(cell, baseline, arm);
              return (
                <td key={flatWeight}>
                  {cell === undefined || reading === null ? (
                    <span className="heat-cell soft">{text.notRun}</span>
                  ) : (
                    <HeatCell {...{ cell, reading, name, measure, onOpen }} />
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The axis, and whatever else the cells hold. */
function axis(
  cells: readonly MapCell[],
  field: "judgeNoise" | "flatWeight",
  least: readonly number[],
): number[] {
  return [...new Set([...least, ...cells.map((cell) => cell[field])])].sort((a, b) => a - b);
}

interface HeatCellProps {
  readonly cell: MapCell;
  readonly reading: CellReading;
  readonly name: string;
  readonly measure: Measure;
  readonly onOpen: OpenCell;
}

function HeatCell({ cell, reading, name, measure, onOpen }: HeatCellProps) {
  const text = useText().simulator.map;
  const { little, baselineGain } = reading;
  const tone = measure === "speed" ? reading.speedTone : reading.scoreTone;
  const gain = gainText(baselineGain);
  const tip = text.tip({
    rule: name,
    score: scoreText(reading.score),
    ahead: gainText(reading.ahead),
    gain: gainText(reading.gain),
    interval: intervalWords(reading, cell, text),
    over: cell.seeds,
    samples: cell.samples,
  });
  return (
    <button
      type="button"
      className={`heat-cell tone tone-${String(tone + 2)}`}
      data-tip={tip}
      aria-description={tip}
      onClick={() => {
        onOpen(cell);
      }}
    >
      <span>
        {measure === "speed" ? (
          <SpeedWords reading={reading} text={text} />
        ) : (
          <b>{scoreText(reading.score)}</b>
        )}
      </span>
      <span>{measure === "speed" ? scoreWords(reading) : aheadWords(reading, text)}</span>
      <span className={little ? "little" : ""}>{little ? text.only(gain) : text.static(gain)}</span>
    </button>
  );
}

type MapTexts = ReturnType<typeof useText>["simulator"]["map"];

function SpeedWords({ reading, text }: { readonly reading: CellReading; readonly text: MapTexts }) {
  const { speedUp, speedTone } = reading;
  if (speedUp === null) return <b>{text.never}</b>;
  return (
    <>
      <b>{factorText(speedUp)}</b> {speedTone === 0 ? text.same : speedTone > 0 ? text.faster : text.slower}
    </>
  );
}

function scoreWords({ score, ahead }: CellReading): string {
  return `${scoreText(score)} (${gainText(ahead)})`;
}

function aheadWords({ ahead, scoreTone }: CellReading, text: MapTexts): string {
  return `${gainText(ahead)} ${scoreTone === 0 ? text.same : scoreTone > 0 ? text.higher : text.lower}`;
}

function intervalWords(
  { speedUp, slowest, fastest, reached }: CellReading,
  { seeds }: MapCell,
  text: MapTexts,
): string {
  if (speedUp === null || fastest === null) return `${text.never} (${text.reached(reached, seeds)})`;
  return `${factorText(speedUp)} (${slowest === null ? text.never : factorText(slowest)} – ${factorText(fastest)})`;
}
