/** The two small pictures of a criterion's past: pass rate and alpha, step by step. */
import { useDeferredValue, useMemo } from "react";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import type { CriterionStep } from "../../../domain/run/records.ts";
import { alphaArm } from "../../store/app-state.ts";
import { ownRow, sameMeaning } from "../../store/rubric-history.ts";
import { stripCells } from "../../store/series.ts";
import { useApp, usePage } from "../app-context.ts";
import { number, percent } from "../format.ts";
import type { Text } from "../text/en.ts";
import { useText } from "../text/text-context.ts";
import { ALPHA_POINTS, AlphaCell } from "./alpha-cell.tsx";
import { PassStrip, STRIP_CELLS } from "./pass-strip.tsx";

/** Drawn when there is time. */
export function HistoryCells({ criterion }: { readonly criterion: Criterion }) {
  const { id, text: name } = criterion;
  const text = useText().rubric;
  const { app } = usePage();
  const version = useDeferredValue(useApp((state) => state.rowsVersion));
  const focus = useDeferredValue(useApp((state) => state.focusArm));
  const versions = useApp((state) => state.versions);
  const maxSteps = useApp((state) => state.run.maxSteps);
  const arm = useApp(alphaArm);
  const row = useApp((state) => ownRow(versions, arm && state.latest[arm.id], criterion));
  const history = useMemo(() => {
    const isOwn = sameMeaning(versions, criterion);
    const alphaSteps = arm === undefined ? [] : app.buffer.steps(arm.id);
    return {
      version,
      cells: stripCells(app.buffer.steps(focus), id, STRIP_CELLS, isOwn),
      alphas: stripCells(alphaSteps, id, ALPHA_POINTS, isOwn),
    };
  }, [app.buffer, version, focus, id, arm, versions, criterion]);
  const own = history.cells.filter((cell) => cell.own);
  const rates = text.rates(percent(own[0]?.passRate), percent(own.at(-1)?.passRate));
  const before = history.cells.length > own.length ? `\n${text.anew}` : "";
  const judged = criterion.check !== null || row !== undefined;
  return (
    <>
      <td className="cell-strip">
        <PassStrip
          cells={history.cells}
          maxSteps={maxSteps}
          label={`${name}: ${rates}`}
          tip={(own.length > 0 ? rates : "") + before}
        />
      </td>
      <td className="cell-alpha">
        {arm === undefined || !judged ? (
          <span className="soft">–</span>
        ) : (
          <AlphaCell
            cells={history.alphas}
            now={row?.alpha ?? null}
            maxSteps={maxSteps}
            bounds={[arm.pow3r.alpha_min, arm.pow3r.alpha_max]}
            label={alphaWords(row, text) + before}
          />
        )}
      </td>
    </>
  );
}

/** Alpha's value, and why a flat criterion may still stand high. */
function alphaWords(row: CriterionStep | undefined, text: Text["rubric"]): string {
  if (row === undefined) return "α –";
  const now = text.alphaNow(number(row.alpha));
  const flat = row.state === "dead" || row.state === "saturated";
  return flat && row.alpha > 1 ? `${now}\n${text.alphaOfFlat}` : now;
}
