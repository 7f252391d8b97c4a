/**
 * The raw rows of the current run, outside React: appended as batches arrive, read by derivations and exports.
 * Rows of a step that was undone by a resume replace the old ones only through `clear`.
 */
import type { ArmStep, Evaluation, RubricEdit, RunRow } from "../../domain/run/records.ts";

export interface RunBuffer {
  readonly append: (rows: readonly RunRow[]) => void;
  readonly clear: () => void;
  /** Every row in the order it came; the live array, not to be changed. */
  readonly rows: () => readonly RunRow[];
  readonly steps: (arm: string) => readonly ArmStep[];
  readonly evaluations: (arm: string) => readonly Evaluation[];
  /** Another list after every edit: charts compare it with what they drew. */
  readonly edits: () => readonly RubricEdit[];
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

export function createRunBuffer(): RunBuffer {
  const all: RunRow[] = [];
  let edits: readonly RubricEdit[] = [];
  const steps = new Map<string, ArmStep[]>();
  const evaluations = new Map<string, Evaluation[]>();
  const add = (row: RunRow): void => {
    all.push(row);
    if (row.kind === "step") push(steps, row.arm, row);
    else if (row.kind === "evaluation") push(evaluations, row.arm, row);
    // an edit ends those that the run's specification held for later steps
    else edits = [...edits.filter((edit) => edit.step <= row.step), row];
  };
  return {
    append: (rows) => {
      rows.forEach(add);
    },
    clear: () => {
      all.length = 0;
      edits = [];
      steps.clear();
      evaluations.clear();
    },
    rows: () => all,
    steps: (arm) => steps.get(arm) ?? [],
    evaluations: (arm) => evaluations.get(arm) ?? [],
    edits: () => edits,
  };
}
