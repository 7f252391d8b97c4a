/** What a bench reports: one figure as one line of JSON, and the machine it was measured on. */
import { cpus } from "node:os";
import { version } from "node:process";
import { type Better, comparePairs, median, relativeSpread } from "./statistics.ts";

export interface Figure {
  readonly bench: string;
  /** Median of ours, and of the peer's; null where there is none. */
  readonly ours: number;
  readonly peer: number | null;
  readonly unit: string;
  /** Above 1 = ours is better; null without a peer. */
  readonly ratio: number | null;
  /** Interquartile range over the median: of the pairs' ratios, or of ours without a peer. */
  readonly spread: number;
  readonly machine: string;
}

/** What is asked of a bench on the command line. */
export interface BenchOptions {
  /** Measured pairs, or runs where there is no peer; null = the bench's own number. */
  readonly pairs: number | null;
  /** Steps of `memory`; null = its own number. */
  readonly steps: number | null;
  readonly print: (line: string) => void;
}

/** Figures in the order they are printed; the one the bench is named after comes last. */
export type Bench = (options: BenchOptions) => Promise<readonly Figure[]>;

function machine(): string {
  const [first] = cpus();
  return `${first?.model.trim() ?? "unknown processor"} x ${cpus().length}, Node ${version}`;
}

/** The figure of pairs measured in turn. */
export function pairedFigure(
  bench: string,
  unit: string,
  better: Better,
  pairs: readonly { readonly ours: number; readonly peer: number }[],
): Figure {
  const { ours, peer, ratio, spread } = comparePairs(pairs, better);
  return { bench, ours, peer, unit, ratio, spread, machine: machine() };
}

/** The figure of a bench without a peer. */
export function plainFigure(bench: string, unit: string, values: readonly number[]): Figure {
  const spread = relativeSpread(values);
  return { bench, ours: median(values), peer: null, unit, ratio: null, spread, machine: machine() };
}

/** Four significant digits; JSON that a script can read. */
export function figureLine(figure: Figure): string {
  return JSON.stringify(figure, (_, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(4)) : value,
  );
}
