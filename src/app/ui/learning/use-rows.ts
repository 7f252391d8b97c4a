/** The run's rows for charts: each chart is redrawn in its turn, so that typing and buttons stay quick. */
import type { RunBuffer } from "../../store/run-buffer.ts";
import { useApp, usePage } from "../app-context.ts";
import { useInTurn } from "../parts/use-in-turn.ts";

export interface Rows {
  readonly buffer: RunBuffer;
  /** Changes with every batch; derivations hang on it. */
  readonly version: number;
  readonly maxStep: number;
}

export function useRows(): Rows {
  const { buffer } = usePage().app;
  const version = useInTurn(useApp((state) => state.rowsVersion));
  const maxStep = useApp((state) => state.run.maxSteps);
  return { buffer, version, maxStep };
}
