/** The run's rows for charts: each chart is redrawn in its turn, so that typing and buttons stay quick. */
import { useEffect, useState } from "react";
import type { RunBuffer } from "../../store/run-buffer.ts";
import { useApp, usePage } from "../app-context.ts";
import { redrawInTurn } from "./redraw-in-turn.ts";

export interface Rows {
  readonly buffer: RunBuffer;
  /** Changes with every batch; derivations hang on it. */
  readonly version: number;
  readonly maxStep: number;
}

export function useRows(): Rows {
  const { buffer } = usePage().app;
  const newest = useApp((state) => state.rowsVersion);
  const [version, setVersion] = useState(newest);
  useEffect(
    () =>
      redrawInTurn(() => {
        setVersion(newest);
      }),
    [newest],
  );
  const maxStep = useApp((state) => state.run.maxSteps);
  return { buffer, version, maxStep };
}
