/**
 * Fetches what opens on a click once the model is there: by then a click needs no network, and no chunk of an older build.
 * All but the simulator, which brings the chart library: it is fetched when somebody comes near its button.
 */
import { useEffect } from "react";
import { useApp } from "./app-context.ts";

const PARTS = [
  () => import("./ask/ask-sheet.tsx"),
  () => import("./set-up/set-up-sheet.tsx"),
  () => import("./story/criterion-story.tsx"),
  () => import("./rubric/criterion-editor.tsx"),
  () => import("./rubric/try-pane.tsx"),
  () => import("./intro/glossary-sheet.tsx"),
  () => import("./learning/more-charts.tsx"),
  () => import("./compare/compare-panel.tsx"),
  () => import("./compare/cells-sheet.tsx"),
  () => import("../../domain/experiment/experiment-file.ts"),
];

export function FetchAhead() {
  const ready = useApp((state) => state.model !== null);
  useEffect(() => {
    if (ready) void Promise.allSettled(PARTS.map((load) => load()));
  }, [ready]);
  return null;
}
