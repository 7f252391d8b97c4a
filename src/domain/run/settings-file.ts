/**
 * A run's settings as one file, from which it can be repeated: its whole specification, the rubric of every version with the
 * step it counts from, its seeds, and the name of the model. Read by the page and by `npm run experiment`.
 */
import { z } from "zod";
import { checkMisfits } from "../rubric/check-misfits.ts";
import { parseJson, problemsError, problemsOf } from "../rubric/schema-problems.ts";
import { parseRunSpec } from "./parse-run-spec.ts";
import { seedsSchema, type RunSpec } from "./spec.ts";

const FORMAT = "rubric-playground-settings";

export interface SettingsFile {
  /** Name of the model it ran on. */
  readonly model: string;
  /** Of the first seed. */
  readonly spec: RunSpec;
  /** All seeds, the specification's own first. */
  readonly seeds: readonly number[];
}

const envelopeSchema = z.strictObject({
  format: z.literal(FORMAT),
  formatVersion: z.literal(1),
  model: z.string().min(1),
  spec: z.unknown(),
  /** Left out by a run of one seed. */
  seeds: seedsSchema.optional(),
});

/** The file's text. */
export function writeSettingsFile({ model, spec, seeds }: SettingsFile): string {
  const several = seeds.length > 1 ? { seeds } : {};
  return `${JSON.stringify({ format: FORMAT, formatVersion: 1, model, ...several, spec }, null, 1)}\n`;
}

/** True for a value that says of itself that it is such a file; it may still be broken. */
export function isSettingsFile(value: unknown): boolean {
  return typeof value === "object" && value !== null && "format" in value && value.format === FORMAT;
}

/**
 * The settings in a file's text.
 * @param source the file as a person knows it
 * @throws PlaygroundError `config-invalid` or `rubric-invalid`, naming every problem
 */
export function parseSettingsFile(text: string, source: string): SettingsFile {
  const value = parseJson(text, "config-invalid", source);
  const envelope = envelopeSchema.safeParse(value);
  if (!envelope.success) {
    throw problemsError({
      code: "config-invalid",
      source,
      problems: problemsOf(envelope.error, value),
      next: "Choose a file that “The run's settings” saved; a rubric alone opens as “A rubric”.",
    });
  }
  const { model, spec: unread, seeds: several } = envelope.data;
  const spec = parseRunSpec(unread, source);
  const seeds = several ?? [spec.seed];
  const problems = [spec, ...spec.rubricEdits].flatMap(({ rubric }, i) =>
    checkMisfits(rubric, i === 0 ? "rubric" : `rubricEdits[${i - 1}].rubric`),
  );
  if (problems.length > 0) {
    throw problemsError({ code: "rubric-invalid", source, problems, next: "Correct it and open it again." });
  }
  return { model, spec: { ...spec, seed: seeds[0] ?? spec.seed }, seeds };
}
