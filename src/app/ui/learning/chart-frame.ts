/** What a step chart is drawn with: its lines and bands, the scales and axes around them. Pure. */
import { highKey, lowKey } from "../../store/bands.ts";
import { pieces, type Point } from "../../store/series.ts";
import { axisTicks } from "./axis-ticks.ts";
import { linearScale, type Scale } from "./plot.ts";

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

/** Room around the plot for the axes' words. */
export const PLOT = { top: 10, right: 8, bottom: 20, left: 40 } as const;

export interface DrawnLine extends ChartLine {
  /** Of the piece in the points. */
  readonly key: string;
  /** A piece of one point has no line to draw. */
  readonly dots: boolean;
}

/** Everything a chart is drawn with. */
export interface Frame {
  readonly points: readonly Point[];
  readonly drawn: readonly DrawnLine[];
  readonly x: Scale;
  readonly y: Scale;
  readonly ticks: readonly number[];
  /** Last step of the x-axis. */
  readonly end: number;
  /** Numbers of all lines together. */
  readonly count: number;
  readonly width: number;
  readonly height: number;
}

interface Drawn {
  readonly points: readonly Point[];
  readonly lines: readonly ChartLine[];
  readonly maxStep: number;
  readonly height: number;
  /** Ticks to use in place of round ones. */
  readonly ticks?: readonly number[];
  /** The y-axis covers at least this much. */
  readonly leastSpan?: number;
}

export function frameOf(props: Drawn, width: number): Frame {
  const { points, lines, maxStep, height, leastSpan } = props;
  const drawn = withPieces(points, lines);
  const values = points.flatMap((point) => drawn.flatMap((line) => point[line.key] ?? []));
  const edges = points.flatMap((point) => drawn.flatMap((line) => bandOf(point, line.key) ?? []));
  const ticks = props.ticks ?? axisTicks([...values, ...edges], height < 140 ? 3 : 4, leastSpan);
  const end = Math.max(maxStep, points.at(-1)?.x ?? 0, 1);
  return {
    points,
    drawn,
    x: linearScale([0, end], PLOT.left, width - PLOT.right),
    y: linearScale([ticks[0] ?? 0, ticks.at(-1) ?? 1], height - PLOT.bottom, PLOT.top),
    ticks,
    end,
    count: values.length,
    width,
    height,
  };
}

/** The band's ends at a point; null where it has none. */
export function bandOf(point: Point, key: string): readonly [number, number] | null {
  const [low, high] = [point[lowKey(key)], point[highKey(key)]];
  return typeof low === "number" && typeof high === "number" ? [low, high] : null;
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
