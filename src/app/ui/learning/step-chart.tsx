/**
 * Lines over training steps, with their bands over seeds where the points hold some: fixed size, fixed x-axis, no animation;
 * points are appended and nothing else moves. Drawn by hand: a chart costs a fraction of a millisecond, and no library.
 */
import { memo, useId, useState, type PointerEvent } from "react";
import type { RubricEdit } from "../../../domain/run/records.ts";
import type { Point } from "../../store/series.ts";
import { fineNumber, number } from "../format.ts";
import { useText } from "../text/text-context.ts";
import { frameOf, PLOT, type ChartLevel, type ChartLine } from "./chart-frame.ts";
import { Axes, Band, ChartTip, Curve, EditMark, Level } from "./chart-parts.tsx";
import { nearestIndex } from "./plot.ts";
import { useWidth } from "./use-width.ts";
import "./charts.css";

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

/** A chart whose picture would be the same is not drawn again: evaluations come every few steps, rows at each. */
export const StepChart = memo(StepChartView, (before, now) => picture(before) === picture(now));

/** What a chart shows; its functions mean the same for as long as it stands. */
function picture(props: StepChartProps): string {
  return JSON.stringify(props);
}

function StepChartView(props: StepChartProps) {
  const { height, onLine } = props;
  const text = useText();
  const clip = useId();
  const [element, width] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<number | null>(null);
  // a band is often narrower than the second digit tells
  const format = props.format ?? (props.bandName === undefined ? number : fineNumber);
  const frame = frameOf(props, width);
  const { points, x } = frame;
  const follow = (event: PointerEvent): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = nearestIndex(
      points.map((point) => x(point.x)),
      event.clientX - box.left,
    );
    setHovered(at < 0 ? null : at);
  };
  const shown = hovered === null ? undefined : points[hovered];
  return (
    <div className="chart" style={{ height }} role="img" aria-label={props.label} ref={element}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          aria-hidden
          onPointerMove={follow}
          onPointerLeave={() => {
            setHovered(null);
          }}
        >
          <clipPath id={clip}>
            <rect x={PLOT.left} y={0} width={width - PLOT.left} height={height - PLOT.bottom + 2} />
          </clipPath>
          <Axes frame={frame} format={props.format} />
          {props.levels?.map((level) => (
            <Level key={level.name} level={level} frame={frame} />
          ))}
          {props.edits?.map((edit, i, all) => (
            <EditMark key={edit.rubricVersion} step={edit.step} named={i === all.length - 1} frame={frame} />
          ))}
          <g clipPath={`url(#${clip})`}>
            {frame.drawn.map((line) => (
              <Band key={line.key} line={line} frame={frame} />
            ))}
            {frame.drawn.map((line) => (
              <Curve key={line.key} line={line} frame={frame} onLine={onLine} />
            ))}
          </g>
          {shown !== undefined && (
            <path
              className="chart-cursor"
              d={`M${String(x(shown.x))} ${String(PLOT.top)}V${String(height - PLOT.bottom)}`}
            />
          )}
        </svg>
      )}
      {shown !== undefined && <ChartTip point={shown} frame={frame} format={format} note={props.bandName} />}
      {frame.count === 0 && (
        <p className="chart-empty">
          <span>{props.empty ?? text.learning.waiting}</span>
        </p>
      )}
    </div>
  );
}
