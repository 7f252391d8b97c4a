/**
 * What the page keeps in localStorage: one edited rubric per scenario and set-up, and a person's own prompts. The
 * keys carry a version; what does not validate is reported and left unused, never half-read.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { rubricSchema, type Rubric } from "../../domain/rubric/schema.ts";
import { scenarioPromptSchema, type ScenarioPrompt } from "../../domain/run/spec.ts";

/** The part of `Storage` that is used; tests put a Map behind it. */
export interface KeyValueStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const rubricKey = (scenarioId: string, setUpId: string): string =>
  `rubric-playground/v1/rubric/${scenarioId}/${setUpId}`;
const promptsKey = (scenarioId: string): string => `rubric-playground/v1/prompts/${scenarioId}`;

function parsed(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const fault = { code: "record-invalid", where: key, expected: "JSON", got: text.slice(0, 40) } as const;
    throw new PlaygroundError({ ...fault, next: "The scenario's own is used instead." }, { cause });
  }
}

function invalid(key: string, what: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "record-invalid",
    where: key,
    expected: what,
    got,
    next: "The scenario's own is used instead.",
  });
}

/** The kept rubric; null when there is none. @throws PlaygroundError `record-invalid`. */
export function loadRubric(storage: KeyValueStorage, scenarioId: string, setUpId: string): Rubric | null {
  const key = rubricKey(scenarioId, setUpId);
  const text = storage.getItem(key);
  if (text === null) return null;
  const result = rubricSchema.safeParse(parsed(text, key));
  if (!result.success) throw invalid(key, "a rubric", result.error.issues[0]?.message ?? "something else");
  return result.data;
}

/** Keeps the rubric, or forgets it (null: back to the scenario's own). @throws PlaygroundError `storage-failed`. */
export function saveRubric(
  storage: KeyValueStorage,
  scenarioId: string,
  setUpId: string,
  rubric: Rubric | null,
): void {
  save(storage, rubricKey(scenarioId, setUpId), rubric);
}

/** The kept prompts of a person; null when there are none. @throws PlaygroundError `record-invalid`. */
export function loadPrompts(storage: KeyValueStorage, scenarioId: string): readonly ScenarioPrompt[] | null {
  const key = promptsKey(scenarioId);
  const text = storage.getItem(key);
  if (text === null) return null;
  const result = scenarioPromptSchema.array().min(1).safeParse(parsed(text, key));
  if (!result.success) throw invalid(key, "prompts", result.error.issues[0]?.message ?? "something else");
  return result.data;
}

/** @throws PlaygroundError `storage-failed`. */
export function savePrompts(
  storage: KeyValueStorage,
  scenarioId: string,
  prompts: readonly ScenarioPrompt[] | null,
): void {
  save(storage, promptsKey(scenarioId), prompts);
}

function save(storage: KeyValueStorage, key: string, value: unknown): void {
  try {
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
  } catch (cause) {
    throw new PlaygroundError(
      {
        code: "storage-failed",
        where: key,
        expected: "room in the browser's storage",
        got: String(cause),
        next: "The edit counts for this visit, but a reload forgets it.",
      },
      { cause },
    );
  }
}
