/** The run's rows for charts: redrawn when there is time for it, so that typing and buttons stay quick. */
import { useDeferredValue } from "react";
import type { RunBuffer } from "../../store/run-buffer.ts";
import { useApp, usePage } from "../app-context.ts";

export interface Rows {
  readonly buffer: RunBuffer;
  /** Changes with every batch; derivations hang on it. */
  readonly version: number;
  readonly maxStep: number;
}

export function useRows(): Rows {
  const { buffer } = usePage().app;
  const version = useDeferredValue(useApp((state) => state.rowsVersion));
  const maxStep = useApp((state) => state.run.maxSteps);
  return { buffer, version, maxStep };
}
