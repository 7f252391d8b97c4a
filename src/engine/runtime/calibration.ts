/**
 * Picks the faster engine for a model on this machine by running a representative piece of work on each.
 * A software GPU adapter is never picked by itself; a person may override. The clock is an argument.
 */
import { toFaultMessage, type FaultMessage } from "../../base/errors.ts";
import type { Engine } from "./engine.ts";

/** An engine that could be used; opening it may fail (no WebGPU, limits too small). */
export interface Candidate {
  readonly kind: "wasm" | "webgpu";
  /** From the machine report: asked of candidates in "auto", so that a software adapter is not even opened. */
  readonly software: boolean;
  open(): Promise<Engine>;
}

/** A piece of work that stands for training: sessions made once, `run` timed several times. */
export interface PreparedWorkload {
  run(): Promise<void>;
  dispose(): Promise<void>;
}

export interface CalibrationOptions {
  readonly choice: "auto" | "wasm" | "webgpu";
  /** Timed runs after one that warms up; the fastest counts. */
  readonly tries: number;
  /** Milliseconds from any origin. */
  readonly clock: () => number;
  readonly onTry?: (done: number, total: number) => void;
}

export interface CalibrationFigure {
  readonly kind: "wasm" | "webgpu";
  /** Fastest timed run; null when it was not measured. */
  readonly bestMs: number | null;
  /** Why it was not measured or cannot be used; null when it was. */
  readonly fault: FaultMessage | null;
}

export interface CalibrationResult {
  /** Open and owned by the caller; the others have been disposed. */
  readonly engine: Engine;
  readonly figures: readonly CalibrationFigure[];
  /** One sentence: which engine, and why. */
  readonly reason: string;
}

interface Measured {
  readonly engine: Engine;
  readonly bestMs: number;
}

/**
 * Opens the engine to use.
 * @throws PlaygroundError the chosen engine's own fault, or in "auto" the first fault when nothing works.
 */
export async function calibrate(
  candidates: readonly Candidate[],
  prepare: (engine: Engine) => Promise<PreparedWorkload>,
  options: CalibrationOptions,
): Promise<CalibrationResult> {
  if (options.choice !== "auto") return openChosen(candidates, options.choice);
  const usable = candidates.filter((candidate) => !candidate.software);
  const total = usable.length * (options.tries + 1);
  let done = 0;
  const step = (): void => options.onTry?.(++done, total);
  const figures: CalibrationFigure[] = [];
  let best: Measured | null = null;
  let firstError: unknown = new Error("no engine to choose from");
  for (const candidate of usable) {
    try {
      const measured = await measure(candidate, prepare, options, step);
      figures.push({ kind: candidate.kind, bestMs: measured.bestMs, fault: null });
      const loser: Measured | null = best && best.bestMs <= measured.bestMs ? measured : best;
      if (loser !== measured) best = measured;
      await loser?.engine.dispose();
    } catch (error) {
      if (figures.length === 0) firstError = error;
      figures.push({ kind: candidate.kind, bestMs: null, fault: toFaultMessage(error, candidate.kind) });
    }
  }
  if (!best) throw firstError;
  return { engine: best.engine, figures, reason: explain(best, figures, candidates) };
}

async function openChosen(
  candidates: readonly Candidate[],
  choice: "wasm" | "webgpu",
): Promise<CalibrationResult> {
  const candidate = candidates.find(({ kind }) => kind === choice);
  if (!candidate) throw new Error(`no ${choice} engine to choose`);
  const engine = await candidate.open();
  const note = engine.info.software ? "; its GPU adapter is software, which is slow" : "";
  return { engine, figures: [], reason: `${name(choice)}, as chosen${note}` };
}

async function measure(
  candidate: Candidate,
  prepare: (engine: Engine) => Promise<PreparedWorkload>,
  options: CalibrationOptions,
  onTry: () => void,
): Promise<Measured> {
  const engine = await candidate.open();
  try {
    const workload = await prepare(engine);
    await workload.run(); // compiles shaders and lets WASM tier up
    onTry();
    let bestMs = Infinity;
    for (let i = 0; i < options.tries; i++) {
      const start = options.clock();
      await workload.run();
      bestMs = Math.min(bestMs, options.clock() - start);
      onTry();
    }
    await workload.dispose();
    return { engine, bestMs };
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}

const name = (kind: "wasm" | "webgpu"): string => (kind === "wasm" ? "WASM" : "WebGPU");
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;

function explain(
  best: Measured,
  figures: readonly CalibrationFigure[],
  candidates: readonly Candidate[],
): string {
  const kind = best.engine.info.kind === "webgpu" ? "webgpu" : "wasm";
  const others = figures.filter((figure) => figure.kind !== kind);
  const compared = others.map((other) =>
    other.bestMs === null
      ? `${name(other.kind)} did not start`
      : `${ms(other.bestMs)} on ${name(other.kind)}`,
  );
  const skipped = candidates
    .filter((candidate) => candidate.software)
    .map((candidate) => `${name(candidate.kind)} has a software adapter only and was not measured`);
  return [`${name(kind)}: ${ms(best.bestMs)} for the test run`, ...compared, ...skipped].join("; ");
}
