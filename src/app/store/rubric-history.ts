/** Which rubric a row was scored with, and whether two rows can be compared. Pure. */
import { criterionIdentity, type Criterion, type Rubric } from "../../domain/rubric/schema.ts";
import type { ArmStep, CriterionStep } from "../../domain/run/records.ts";
import type { RubricVersion } from "../../domain/run/rubric-versions.ts";

type Versions = readonly RubricVersion[];
interface Scored {
  readonly rubricVersion: number;
}

/** True where the criterion of the same id asks the same; also where there is none. */
function asksTheSame(rubric: Rubric, criterion: Criterion): boolean {
  const known = rubric.criteria.find((each) => each.id === criterion.id);
  if (known === undefined || known === criterion) return true;
  return criterionIdentity(known) === criterionIdentity(criterion);
}

/** True for the versions in which a criterion asked what it asks now; also for those that are not known. */
export function sameMeaning(versions: Versions, criterion: Criterion): (version: number) => boolean {
  const others = versions.filter(({ rubric }) => !asksTheSame(rubric, criterion));
  const different = new Set(others.map(({ version }) => version));
  return (version) => !different.has(version);
}

/** The criterion's row of a step; undefined where it asked something else then, or needs a judge and had none. */
export function ownRow(
  versions: Versions,
  step: ArmStep | undefined,
  criterion: Criterion,
): CriterionStep | undefined {
  const row = step?.criteria.find((each) => each.id === criterion.id);
  const version = versions.find((known) => known.version === step?.rubricVersion);
  if (row === undefined || (version !== undefined && !asksTheSame(version.rubric, criterion)))
    return undefined;
  return criterion.check === null && row.judged === 0 ? undefined : row;
}

/** What a criterion asked when a row was scored: rows that differ in it are no one history. */
export function meanings(versions: Versions): (row: Scored, id: string) => string {
  const known = new Map(
    versions.map(({ version, rubric }) => [
      version,
      new Map(rubric.criteria.map((criterion) => [criterion.id, criterionIdentity(criterion)])),
    ]),
  );
  return (row, id) => known.get(row.rubricVersion)?.get(id) ?? "";
}

/** What a row measures answers by: scores of rows that differ in it say different things. */
export function yardsticks(versions: Versions): (row: Scored) => string {
  const known = new Map(versions.map(({ version, rubric }) => [version, yardstick(rubric)]));
  return (row) => known.get(row.rubricVersion) ?? String(row.rubricVersion);
}

/** What a row's pass rates are rates of, whatever it weighs. */
export function questions(versions: Versions): (row: Scored) => string {
  const asked = (rubric: Rubric): string => rubric.criteria.map(criterionIdentity).sort().join("\n");
  const known = new Map(versions.map(({ version, rubric }) => [version, asked(rubric)]));
  return (row) => known.get(row.rubricVersion) ?? String(row.rubricVersion);
}

/** All of a rubric that scores depend on; neither words, where a check decides, nor order. */
function yardstick(rubric: Rubric): string {
  return rubric.criteria
    .map((each) => JSON.stringify([criterionIdentity(each), each.category, each.weight, each.required]))
    .sort()
    .join("\n");
}
