/** Lines over training steps, with their bands over seeds where the points hold some: fixed size, fixed x-axis, no animation; points are appended and nothing else moves. */
import { memo, type ReactNode } from "react";
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  LineChart,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
  type TooltipContentProps,
} from "recharts";
import type { RubricEdit } from "../../../domain/run/records.ts";
import { highKey, lowKey } from "../../store/bands.ts";
import { pieces, type Point } from "../../store/series.ts";
import { fineNumber, number } from "../format.ts";
import { useText } from "../text/text-context.ts";
import { axisTicks, tickText } from "./axis-ticks.ts";
import "./charts.css";

export interface ChartLine {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly dash?: string;
  readonly width?: number;
  readonly opacity?: number;
}

/** A level that stands for something, e.g. a bound. */
export interface ChartLevel {
  readonly value: number;
  readonly name: string;
  /** The name stands under the line. */
  readonly below?: boolean;
}

interface StepChartProps {
  readonly points: readonly Point[];
  readonly lines: readonly ChartLine[];
  readonly maxStep: number;
  readonly height: number;
  /** Read out for those who do not see it. */
  readonly label: string;
  readonly edits?: readonly RubricEdit[];
  readonly levels?: readonly ChartLevel[];
  /** Ticks to use in place of round ones. */
  readonly ticks?: readonly number[];
  /** The y-axis covers at least this much. */
  readonly leastSpan?: number;
  /** A value in words; the y-axis may be a transform of it. */
  readonly format?: (value: number) => string;
  /** What line and band stand for, said on hover. */
  readonly bandName?: string | undefined;
  /** Said where there are no points. */
  readonly empty?: string;
  readonly onLine?: (id: string | null) => void;
}

const TICK = { fill: "var(--soft)", fontSize: 11 } as const;
const MARGIN = { top: 10, right: 8, bottom: 0, left: 0 } as const;
/** Light enough to see the others through it. */
const BAND_OPACITY = 0.16;
/** Few points are drawn as dots too: a single one has no line. */
const DOTS_UP_TO = 40;

/** A chart whose picture would be the same is not drawn again: evaluations come every few steps, rows at each. */
export const StepChart = memo(StepChartView, (before, now) => picture(before) === picture(now));

/** What a chart shows; its functions mean the same for as long as it stands. */
function picture(props: StepChartProps): string {
  return JSON.stringify(props);
}

function StepChartView(props: StepChartProps) {
  const { points, lines, height } = props;
  const text = useText();
  const { edits = [], levels = [] } = props;
  // a band is often narrower than the second digit tells
  const format = props.format ?? (props.bandName === undefined ? number : fineNumber);
  const drawn = withPieces(points, lines);
  const { values, edges, ticks, end } = extentOf(props, drawn);
  // a band wants a chart that mixes kinds; without one the lighter kind does
  const Chart = edges.length > 0 ? ComposedChart : LineChart;
  return (
    <div className="chart" style={{ height }} role="img" aria-label={props.label}>
      <ResponsiveContainer width="100%" height="100%" debounce={80}>
        <Chart data={points} margin={MARGIN} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="x"
            type="number"
            domain={[0, end]}
            ticks={[0, end]}
            tick={StepTick}
            tickLine={false}
            axisLine={false}
            interval={0}
            height={20}
          />
          <YAxis
            width={40}
            domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
            ticks={ticks}
            tickFormatter={(tick: number) =>
              props.format === undefined ? tickText(tick, ticks) : format(tick)
            }
            tick={TICK}
            tickLine={false}
            axisLine={false}
            interval={0}
            allowDataOverflow
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: "var(--field)", strokeDasharray: "2 3" }}
            content={(tip) => <ChartTip tip={tip} lines={drawn} format={format} note={props.bandName} />}
          />
          {levels.map((level) => (
            <ReferenceLine
              key={level.name}
              y={level.value}
              stroke="var(--soft)"
              strokeDasharray="2 4"
              label={{
                value: level.name,
                position: level.below === true ? "insideTopLeft" : "insideBottomLeft",
                ...TICK,
              }}
            />
          ))}
          {edits.map((edit, i) => editMark(edit, i === edits.length - 1 ? text.learning.edited : null, end))}
          {edges.length > 0 && drawn.map(bandArea)}
          {drawn.map((line) => (
            <Line
              key={line.key}
              dataKey={line.key}
              stroke={line.color}
              strokeWidth={line.width ?? 2.25}
              strokeOpacity={line.opacity ?? 1}
              strokeDasharray={line.dash ?? "0"}
              strokeLinecap="round"
              dot={
                line.dots || values.length <= DOTS_UP_TO ? { r: 2, strokeWidth: 0, fill: line.color } : false
              }
              activeDot={false}
              isAnimationActive={false}
              onMouseEnter={() => props.onLine?.(line.id)}
              onMouseLeave={() => props.onLine?.(null)}
            />
          ))}
        </Chart>
      </ResponsiveContainer>
      {values.length === 0 && (
        <p className="chart-empty">
          <span>{props.empty ?? text.learning.waiting}</span>
        </p>
      )}
    </div>
  );
}

/** What is drawn, and the axes around it. */
function extentOf(
  { points, maxStep, height, ticks, leastSpan }: StepChartProps,
  drawn: readonly DrawnLine[],
) {
  const values = points.flatMap((point) => drawn.flatMap((line) => point[line.key] ?? []));
  const edges = points.flatMap((point) => drawn.flatMap((line) => bandOf(point, line.key) ?? []));
  return {
    values,
    edges,
    ticks: ticks ?? axisTicks([...values, ...edges], height < 140 ? 3 : 4, leastSpan),
    end: Math.max(maxStep, points.at(-1)?.x ?? 0, 1),
  };
}

function bandArea(line: DrawnLine): ReactNode {
  return (
    <Area
      key={`band ${line.key}`}
      dataKey={(point: Point) => bandOf(point, line.key)}
      stroke="none"
      fill={line.color}
      fillOpacity={BAND_OPACITY}
      activeDot={false}
      isAnimationActive={false}
    />
  );
}

/** The line at an edit's step, the newest with its name. */
function editMark({ rubricVersion, step }: RubricEdit, name: string | null, end: number): ReactNode {
  const position = step > end * 0.6 ? "insideTopRight" : "insideTopLeft";
  return (
    <ReferenceLine
      key={rubricVersion}
      x={step}
      stroke="var(--soft)"
      strokeDasharray="2 3"
      {...(name === null ? {} : { label: { value: name, position, ...TICK } })}
    />
  );
}

/** The band's ends at a point; null where it has none. */
function bandOf(point: Point, key: string): readonly [number, number] | null {
  const [low, high] = [point[lowKey(key)], point[highKey(key)]];
  return typeof low === "number" && typeof high === "number" ? [low, high] : null;
}

interface DrawnLine extends ChartLine {
  /** Of the piece in the points. */
  readonly key: string;
  /** A piece of one point has no line to draw. */
  readonly dots: boolean;
}

/** Every line with its earlier pieces, which are drawn like it and not joined to it. */
function withPieces(points: readonly Point[], lines: readonly ChartLine[]): readonly DrawnLine[] {
  const known = pieces(
    points,
    lines.map((line) => line.id),
  );
  return lines.flatMap((line) =>
    (known.get(line.id) ?? []).map(({ key, values }) => ({ ...line, key, dots: values === 1 })),
  );
}

/** The x-axis names its two ends, each inside the chart. */
function StepTick({ x, y, payload }: { x: number | string; y: number | string; payload: { value: number } }) {
  const { step } = useText().learning;
  const first = payload.value === 0;
  return (
    <text x={x} y={Number(y) + 10} textAnchor={first ? "start" : "end"} {...TICK}>
      {first ? "0" : `${step} ${String(payload.value)}`}
    </text>
  );
}

interface ChartTipProps {
  readonly tip: Pick<TooltipContentProps, "active" | "payload" | "label">;
  readonly lines: readonly DrawnLine[];
  readonly format: (value: number) => string;
  /** Said under the values. */
  readonly note: string | undefined;
}

function sayBand(point: unknown, key: string, format: (value: number) => string): ReactNode {
  const band = bandOf(point as Point, key);
  return band !== null && <small className="soft">{band.map(format).join(" – ")}</small>;
}

/** The values at a step; long lists show the largest eight. */
function ChartTip({ tip, lines, format, note }: ChartTipProps) {
  const text = useText();
  if (!tip.active || tip.payload.length === 0) return null;
  const rows = lines
    .map((line) => ({
      line,
      value: tip.payload.find((entry) => entry.dataKey === line.key)?.value as number | null | undefined,
    }))
    .filter((row): row is { line: DrawnLine; value: number } => typeof row.value === "number")
    .sort((a, b) => b.value - a.value)
    .slice(0, 8);
  return (
    <div className="chart-tip">
      <b>
        {text.learning.step} {tip.label}
      </b>
      {rows.map(({ line, value }) => (
        <span key={line.key}>
          <i style={{ background: line.color }} />
          {line.name} <em>{format(value)}</em> {sayBand(tip.payload[0]?.payload, line.key, format)}
        </span>
      ))}
      {note !== undefined && <small className="soft">{note}</small>}
    </div>
  );
}
