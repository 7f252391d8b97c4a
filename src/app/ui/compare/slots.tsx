/** Where the page holds the comparison and the choice of a cell: both come as chunks of their own when they are wanted. */
import { lazy } from "react";
import { useActions, useApp } from "../app-context.ts";
import { PartBoundary } from "../parts/part-boundary.tsx";

const ComparePanel = lazy(async () => ({ default: (await import("./compare-panel.tsx")).ComparePanel }));
const CellsSheet = lazy(async () => ({ default: (await import("./cells-sheet.tsx")).CellsSheet }));

/** Shown where there is something to compare: several seeds, more than two arms, or all charts asked for. */
export function CompareSlot({ more }: { readonly more: boolean }) {
  const wanted = useApp(({ spec, seeds }) => spec !== null && (seeds.length > 1 || spec.arms.length > 2));
  if (!wanted && !more) return null;
  return (
    <PartBoundary>
      <ComparePanel />
    </PartBoundary>
  );
}

export function CellsSlot() {
  const asked = useApp((state) => state.askedCells);
  const { closeExperiment } = useActions();
  if (asked === null || asked.cells.length < 2) return null;
  return (
    <PartBoundary onClose={closeExperiment}>
      <CellsSheet asked={asked} />
    </PartBoundary>
  );
}
