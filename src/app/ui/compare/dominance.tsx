/**
 * The paper's dominance picture: held-out score against strict completion, a path an arm from the base on, the mean over
 * seeds. Drawn by hand: it stands still between evaluations, and costs no chart library.
 */
import type { ArmSummary } from "../../../domain/experiment/summary.ts";
import type { Compared } from "../../store/comparison.ts";
import { axisTicks, tickText } from "../learning/axis-ticks.ts";
import type { ArmLook } from "../parts/arm.tsx";
import { Explained } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { sayScore } from "./say.ts";

const WIDTH = 440;
const HEIGHT = 270;
const PLOT = { left: 46, right: 12, top: 26, bottom: 40 } as const;
/** Noise is not drawn as wide as an effect. */
const LEAST_SPAN = 0.05;

interface Dot {
  readonly step: number;
  /** Held-out score. */
  readonly x: number;
  /** Strict completion. */
  readonly y: number;
}

function pathOf({ curve }: ArmSummary): readonly Dot[] {
  return curve.flatMap(({ step, score, strictCompletion }) =>
    score.mean === null || strictCompletion.mean === null
      ? []
      : [{ step, x: score.mean, y: strictCompletion.mean }],
  );
}

type Scale = (value: number) => number;

function scaleOf(ticks: readonly number[], from: number, to: number): Scale {
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

interface DominanceProps {
  readonly arms: readonly ArmLook[];
  readonly compared: Compared;
}

export function Dominance({ arms, compared }: DominanceProps) {
  const text = useText().compare.scatter;
  const paths = arms.map((arm) => {
    const summary = compared.summary.arms.find((each) => each.arm === arm.id);
    const ends = compared.ends.filter((end) => end.arm === arm.id);
    return { arm, dots: summary === undefined ? [] : pathOf(summary), ends };
  });
  const xs = paths.flatMap(({ dots, ends }) => [
    ...dots.map(({ x }) => x),
    ...ends.map(({ score }) => score),
  ]);
  const ys = paths.flatMap(({ dots, ends }) => [
    ...dots.map(({ y }) => y),
    ...ends.map(({ strictCompletion }) => strictCompletion),
  ]);
  const [xTicks, yTicks] = [axisTicks(xs, 5, LEAST_SPAN), axisTicks(ys, 4, LEAST_SPAN)];
  const x = scaleOf(xTicks, PLOT.left, WIDTH - PLOT.right);
  const y = scaleOf(yTicks, HEIGHT - PLOT.bottom, PLOT.top);
  const said = paths.map(
    ({ arm, dots }) => `${arm.name} ${sayScore(dots.at(-1)?.x)}, ${sayScore(dots.at(-1)?.y)}`,
  );
  return (
    <figure className="dominance">
      <figcaption>
        <Explained means={text.means}>{text.title}</Explained>
      </figcaption>
      <svg
        viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
        role="img"
        aria-label={`${text.title}: ${said.join("; ")}`}
      >
        <Axes x={x} y={y} xTicks={xTicks} yTicks={yTicks} />
        {paths.map(({ arm, dots, ends }) => (
          <g key={arm.id} className="arm-path">
            {compared.summary.seeds.length > 1 &&
              ends.map((end) => (
                <circle
                  key={end.seed}
                  cx={x(end.score)}
                  cy={y(end.strictCompletion)}
                  r="3"
                  fill={arm.color}
                  fillOpacity="0.3"
                />
              ))}
            <polyline
              points={dots.map((dot) => `${x(dot.x).toFixed(1)},${y(dot.y).toFixed(1)}`).join(" ")}
              fill="none"
              stroke={arm.color}
              strokeWidth="2"
              strokeDasharray={arm.dash}
            />
            {dots.map((dot, at) => (
              <circle
                key={dot.step}
                cx={x(dot.x)}
                cy={y(dot.y)}
                r={at === dots.length - 1 ? 6 : 2.5}
                fill={arm.color}
                data-tip={text.dot(arm.name, dot.step, sayScore(dot.x), sayScore(dot.y))}
              />
            ))}
          </g>
        ))}
      </svg>
    </figure>
  );
}

interface AxesProps {
  readonly x: Scale;
  readonly y: Scale;
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
}

function Axes({ x, y, xTicks, yTicks }: AxesProps) {
  const text = useText().compare.scatter;
  const floor = HEIGHT - PLOT.bottom;
  return (
    <g className="axes">
      {yTicks.map((tick) => (
        <g key={tick}>
          <line x1={PLOT.left} x2={WIDTH - PLOT.right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={PLOT.left - 6} y={y(tick) + 4} textAnchor="end">
            {tickText(tick, yTicks)}
          </text>
        </g>
      ))}
      {xTicks.map((tick) => (
        <text key={tick} x={x(tick)} y={floor + 16} textAnchor="middle">
          {tickText(tick, xTicks)}
        </text>
      ))}
      <text x={WIDTH - PLOT.right} y={HEIGHT - 6} textAnchor="end">
        {text.x} →
      </text>
      <text x={4} y={12}>
        ↑ {text.y}
      </text>
    </g>
  );
}
