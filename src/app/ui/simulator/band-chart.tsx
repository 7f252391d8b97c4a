/** Lines over steps with bands around them: fixed size, no animation. The band is what lies between low and high. */
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { axisTicks, tickText } from "../learning/axis-ticks.ts";
import { useText } from "../text/text-context.ts";
import "../learning/charts.css";

export interface BandLine {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly dash: string;
  readonly median: readonly number[];
  /** Both or none. */
  readonly low?: readonly number[];
  readonly high?: readonly number[];
}

export interface BandLevel {
  readonly name: string;
  readonly value: number;
  /** The name stands under the line. */
  readonly below?: boolean;
}

interface BandChartProps {
  readonly steps: readonly number[];
  readonly lines: readonly BandLine[];
  readonly height: number;
  /** Read out for those who do not see it. */
  readonly label: string;
  readonly levels?: readonly BandLevel[];
  /** A step that is marked. */
  readonly mark?: number;
  readonly leastSpan: number;
  readonly format: (value: number) => string;
}

const TICK = { fill: "var(--soft)", fontSize: 11 } as const;
const MARGIN = { top: 10, right: 8, bottom: 0, left: 0 } as const;

type Row = Readonly<Record<string, number | readonly [number, number] | null>>;

/** Recharts reads rows: one a step, with a value and a range a line. What is no number is not drawn. */
function rowsOf(steps: readonly number[], lines: readonly BandLine[]): Row[] {
  const there = (value: number | undefined): number | null =>
    value === undefined || !Number.isFinite(value) ? null : value;
  return steps.map((step, at) => {
    const cells = lines.flatMap((line): [string, Row[string]][] => {
      const [low, high] = [there(line.low?.[at]), there(line.high?.[at])];
      return [
        [line.id, there(line.median[at])],
        [`${line.id} band`, low === null || high === null ? null : [low, high]],
      ];
    });
    return { step, ...Object.fromEntries(cells) };
  });
}

/** A dip below 0 that is thin beside the rest asks for no row of its own under the axis. */
function fromZero(values: readonly number[]): readonly number[] {
  const there = values.filter((value) => Number.isFinite(value));
  const thin = -0.02 * Math.max(0, ...there);
  return there.map((value) => (value < 0 && value >= thin ? 0 : value));
}

export function BandChart({ steps, lines, levels = [], ...props }: BandChartProps) {
  const text = useText().simulator.charts;
  const values = lines.flatMap(({ median, low = [], high = [] }) => [...median, ...low, ...high]);
  const ticks = axisTicks([...fromZero(values), ...levels.map(({ value }) => value)], 4, props.leastSpan);
  const end = steps.at(-1) ?? 1;
  return (
    <div className="chart" style={{ height: props.height }} role="img" aria-label={props.label}>
      <ResponsiveContainer width="100%" height="100%" debounce={80}>
        <ComposedChart data={rowsOf(steps, lines)} margin={MARGIN} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="step"
            type="number"
            domain={[0, end]}
            ticks={[0, ...(props.mark === undefined ? [] : [props.mark]), end]}
            tickFormatter={(step: number) => (step === end ? `${text.step} ${String(step)}` : String(step))}
            tick={TICK}
            tickLine={false}
            axisLine={false}
            interval="preserveStartEnd"
            height={20}
          />
          <YAxis
            width={40}
            domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
            ticks={[...ticks]}
            tickFormatter={(tick: number) => tickText(tick, ticks)}
            tick={TICK}
            tickLine={false}
            axisLine={false}
            interval={0}
            allowDataOverflow
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: "var(--field)", strokeDasharray: "2 3" }}
            content={({ active, label }) =>
              active ? (
                <BandTip at={steps.indexOf(Number(label))} {...{ steps, lines, format: props.format }} />
              ) : null
            }
          />
          {levels.map(({ name, value, below = false }) => (
            <ReferenceLine
              key={name}
              y={value}
              stroke="var(--soft)"
              strokeDasharray="2 4"
              label={{ value: name, position: below ? "insideTopLeft" : "insideBottomLeft", ...TICK }}
            />
          ))}
          {props.mark !== undefined && (
            <ReferenceLine x={props.mark} stroke="var(--soft)" strokeDasharray="2 4" />
          )}
          {lines.map((line) => (
            <Area
              key={`${line.id} band`}
              dataKey={`${line.id} band`}
              stroke="none"
              fill={line.color}
              fillOpacity={0.14}
              isAnimationActive={false}
              activeDot={false}
            />
          ))}
          {lines.map((line) => (
            <Line
              key={line.id}
              dataKey={line.id}
              stroke={line.color}
              strokeWidth={2.25}
              strokeDasharray={line.dash}
              strokeLinecap={line.dash === "0" ? "round" : "butt"}
              dot={false}
              activeDot={false}
              isAnimationActive={false}
            />
          ))}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}

interface BandTipProps {
  readonly at: number;
  readonly steps: readonly number[];
  readonly lines: readonly BandLine[];
  readonly format: (value: number) => string;
}

/** The values at a step, the largest first. */
function BandTip({ at, steps, lines, format }: BandTipProps) {
  const text = useText().simulator.charts;
  const rows = lines
    .map((line) => ({ line, value: line.median[at] ?? Number.NaN }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => b.value - a.value);
  return (
    <div className="chart-tip">
      <b>
        {text.step} {steps[at]}
      </b>
      {rows.map(({ line, value }) => (
        <span key={line.id}>
          <i style={{ background: line.color }} />
          {line.name}
          <em>
            {format(value)}
            {line.low?.[at] !== undefined && line.high?.[at] !== undefined
              ? ` (${format(line.low[at])}–${format(line.high[at])})`
              : ""}
          </em>
        </span>
      ))}
    </div>
  );
}
