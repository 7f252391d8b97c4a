/** What lint says of the rubric now: by its words at every edit, by the verdicts seen when there is time. */
import { useDeferredValue, useMemo } from "react";
import type { LintNote } from "../../../domain/rubric/lint-note.ts";
import { lintRubric, lintText } from "../../../domain/rubric/lint-rubric.ts";
import { useApp, usePage } from "../app-context.ts";

export function useNotes(): readonly LintNote[] {
  const { app } = usePage();
  const rubric = useApp((state) => state.rubric);
  const version = useDeferredValue(useApp((state) => state.rowsVersion));
  const meanings = useApp((state) => state.meanings);
  const text = useMemo(() => lintText(rubric, meanings), [rubric, meanings]);
  return useMemo(
    () => ({ version, notes: lintRubric(rubric, app.buffer.seen(), text) }),
    [rubric, app.buffer, version, text],
  ).notes;
}
