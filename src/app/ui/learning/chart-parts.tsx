/** The pieces of a step chart in SVG: axes, levels, marks of edits, bands, lines, and the values at the pointer. */
import type { Point } from "../../store/series.ts";
import { useText } from "../text/text-context.ts";
import { tickText } from "./axis-ticks.ts";
import { bandOf, PLOT, type ChartLevel, type DrawnLine, type Frame } from "./chart-frame.ts";
import { bandPath, linePath } from "./plot.ts";

const TICK = { fill: "var(--soft)", fontSize: 11 } as const;
/** Beside the pointer, in pixels; beyond the middle it stands on the other side. */
const TIP_GAP = 14;
/** Light enough to see the others through it. */
const BAND_OPACITY = 0.16;
/** Few points are drawn as dots too: a single one has no line. */
const DOTS_UP_TO = 40;

/** Grid lines with their values; the x-axis names its two ends, each inside the chart. */
export function Axes({
  frame,
  format,
}: {
  readonly frame: Frame;
  readonly format: ((value: number) => string) | undefined;
}) {
  const { step } = useText().learning;
  const { ticks, y, width, height, end } = frame;
  const right = width - PLOT.right;
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <path stroke="var(--line)" d={`M${String(PLOT.left)} ${String(y(tick))}H${String(right)}`} />
          <text x={PLOT.left - 8} y={y(tick)} dy="0.35em" textAnchor="end" {...TICK}>
            {format === undefined ? tickText(tick, ticks) : format(tick)}
          </text>
        </g>
      ))}
      <text x={PLOT.left} y={height - 4} {...TICK}>
        0
      </text>
      <text x={right} y={height - 4} textAnchor="end" {...TICK}>
        {step} {end}
      </text>
    </>
  );
}

export function Level({ level, frame }: { readonly level: ChartLevel; readonly frame: Frame }) {
  const at = frame.y(level.value);
  return (
    <>
      <path
        stroke="var(--soft)"
        strokeDasharray="2 4"
        d={`M${String(PLOT.left)} ${String(at)}H${String(frame.width - PLOT.right)}`}
      />
      <text x={PLOT.left + 5} y={level.below === true ? at + 14 : at - 5} {...TICK}>
        {level.name}
      </text>
    </>
  );
}

interface MarkProps {
  readonly step: number;
  /** The newest says what it is. */
  readonly named: boolean;
  readonly frame: Frame;
}

/** The line at an edit's step. */
export function EditMark({ step, named, frame }: MarkProps) {
  const { edited } = useText().learning;
  const at = frame.x(step);
  const late = step > frame.end * 0.6;
  return (
    <>
      <path
        stroke="var(--soft)"
        strokeDasharray="2 3"
        d={`M${String(at)} ${String(PLOT.top)}V${String(frame.height - PLOT.bottom)}`}
      />
      {named && (
        <text x={late ? at - 5 : at + 5} y={PLOT.top + 12} textAnchor={late ? "end" : "start"} {...TICK}>
          {edited}
        </text>
      )}
    </>
  );
}

interface CurveProps {
  readonly line: DrawnLine;
  readonly frame: Frame;
}

export function Band({ line, frame: { points, x, y } }: CurveProps) {
  const path = bandPath(
    points.map((point) => {
      const band = bandOf(point, line.key);
      return band && [x(point.x), y(band[0]), y(band[1])];
    }),
  );
  return path === "" ? null : (
    <path className="chart-band" d={path} fill={line.color} fillOpacity={BAND_OPACITY} />
  );
}

export function Curve({
  line,
  frame,
  onLine,
}: CurveProps & { readonly onLine: ((id: string | null) => void) | undefined }) {
  const { points, x, y, count } = frame;
  const places = points.map((point): readonly [number, number] | null => {
    const value = point[line.key];
    return typeof value === "number" ? [x(point.x), y(value)] : null;
  });
  return (
    <g onPointerEnter={() => onLine?.(line.id)} onPointerLeave={() => onLine?.(null)}>
      <path
        className="chart-line"
        d={linePath(places)}
        stroke={line.color}
        strokeWidth={line.width ?? 2.25}
        strokeOpacity={line.opacity ?? 1}
        strokeDasharray={line.dash ?? "0"}
      />
      {(line.dots || count <= DOTS_UP_TO) &&
        places.map(
          (place) =>
            place !== null && <circle key={place[0]} cx={place[0]} cy={place[1]} r="2" fill={line.color} />,
        )}
    </g>
  );
}

interface ChartTipProps {
  readonly point: Point;
  readonly frame: Frame;
  readonly format: (value: number) => string;
  /** Said under the values. */
  readonly note: string | undefined;
}

/** The values at a step; long lists show the largest eight. */
export function ChartTip({ point, frame, format, note }: ChartTipProps) {
  const text = useText();
  const rows = frame.drawn
    .flatMap((line) => {
      const value = point[line.key];
      return typeof value === "number" ? [{ line, value, band: bandOf(point, line.key) }] : [];
    })
    .sort((a, b) => b.value - a.value)
    .slice(0, 8);
  const at = frame.x(point.x);
  const side = at > frame.width / 2 ? { right: frame.width - at + TIP_GAP } : { left: at + TIP_GAP };
  return (
    <div className="chart-tip at-step" style={side}>
      <b>
        {text.learning.step} {point.x}
      </b>
      {rows.map(({ line, value, band }) => (
        <span key={line.key}>
          <i style={{ background: line.color }} />
          {line.name} <em>{format(value)}</em>
          {band !== null && <small className="soft">{band.map((end) => format(end)).join(" – ")}</small>}
        </span>
      ))}
      {note !== undefined && <small className="soft">{note}</small>}
    </div>
  );
}
