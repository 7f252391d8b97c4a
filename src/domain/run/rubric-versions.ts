/** A run's rubric over its steps: the first version, the edits after it, and what of them counts when it is repeated. Pure. */
import type { Rubric } from "../rubric/schema.ts";
import type { RubricEdit } from "./records.ts";
import { listRubricChanges, summariseRubricEdit } from "./rubric-edit.ts";
import type { RunSpec } from "./spec.ts";

export interface RubricVersion {
  readonly version: number;
  /** First step scored with it. */
  readonly fromStep: number;
  readonly rubric: Rubric;
}

/** The versions that a specification holds, oldest first. */
export function plannedVersions(spec: Pick<RunSpec, "rubric" | "rubricEdits">): RubricVersion[] {
  const all = [{ fromStep: 1, rubric: spec.rubric }, ...spec.rubricEdits];
  return all.map((each, i) => ({ version: i + 1, ...each }));
}

/** The row that stands for a version in charts and files. */
export function rubricEditRow(before: Rubric, { version, fromStep, rubric }: RubricVersion): RubricEdit {
  return {
    kind: "rubric",
    step: fromStep,
    rubricVersion: version,
    summary: summariseRubricEdit(before, rubric),
    changes: listRubricChanges(before, rubric),
  };
}

/** The rows of a specification's edits. */
export function plannedEditRows(spec: Pick<RunSpec, "rubric" | "rubricEdits">): RubricEdit[] {
  const versions = plannedVersions(spec);
  return versions.slice(1).map((version, i) => rubricEditRow(versions[i]?.rubric ?? spec.rubric, version));
}

/** The version that a step is scored with: the newest of those that begin by then; step 0, the base, has the first step's. */
export function versionAt(versions: readonly RubricVersion[], step: number): RubricVersion | undefined {
  return versions.findLast((each) => each.fromStep <= Math.max(step, 1));
}

/**
 * `spec` with the rubrics that really scored the steps, so that the same specification repeats the run.
 * A version that a later edit replaced before any step used it is left out.
 */
export function repeatableSpec(spec: RunSpec, versions: readonly RubricVersion[]): RunSpec {
  const used = versions.filter((each, i) =>
    versions.slice(i + 1).every((later) => later.fromStep > each.fromStep),
  );
  const [first, ...edits] = used;
  if (first === undefined) return spec;
  return {
    ...spec,
    rubric: first.rubric,
    rubricEdits: edits
      .filter((edit) => edit.fromStep <= spec.grpo.max_steps)
      .map(({ fromStep, rubric }) => ({ fromStep, rubric })),
  };
}
