/** Numbers as SVG paths: scales, lines with gaps, bands between two lines. Pure. */

export type Scale = (value: number) => number;

/** Maps [low, high] onto [from, to]; a range without width onto `from`. */
export function linearScale([low, high]: readonly [number, number], from: number, to: number): Scale {
  const span = high - low;
  return (value) => (span === 0 ? from : from + ((value - low) / span) * (to - from));
}

/** A place in pixels; null where there is a gap. */
export type Place = readonly [x: number, y: number] | null;

const at = ([x, y]: readonly [number, number]): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Runs of places without a gap. */
function stretches<T>(places: readonly (T | null)[]): T[][] {
  const all: T[][] = [[]];
  for (const place of places) {
    if (place === null) all.push([]);
    else all.at(-1)?.push(place);
  }
  return all.filter((stretch) => stretch.length > 0);
}

/** The places joined by straight lines, broken at gaps. */
export function linePath(places: readonly Place[]): string {
  return stretches(places)
    .map((stretch) => `M${stretch.map(at).join("L")}`)
    .join("");
}

/** The area between two edges; null where there is none. */
export type Edges = readonly [x: number, low: number, high: number] | null;

/** The areas between the edges, broken at gaps: up along the high edge, back along the low one. */
export function bandPath(edges: readonly Edges[]): string {
  return stretches(edges)
    .map((stretch) => {
      const high = stretch.map(([x, , top]) => at([x, top]));
      const low = stretch.map(([x, bottom]) => at([x, bottom])).reverse();
      return `M${[...high, ...low].join("L")}Z`;
    })
    .join("");
}

/** Index of the value nearest to a wanted one in rising values; -1 for none. */
export function nearestIndex(rising: readonly number[], wanted: number): number {
  let best = -1;
  for (const [index, value] of rising.entries()) {
    const known = rising[best];
    if (known === undefined || Math.abs(value - wanted) < Math.abs(known - wanted)) best = index;
  }
  return best;
}
