/**
 * What the page keeps in localStorage: one edited rubric per scenario and set-up, and a person's own prompts. The
 * keys carry a version; what does not validate is reported and left unused, never half-read.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { checkMisfits } from "../../domain/rubric/check-misfits.ts";
import { problemsOf, type Problem } from "../../domain/rubric/schema-problems.ts";
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

function parsed(storage: KeyValueStorage, key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unread(storage, key, { text, expected: "JSON", got: text.slice(0, 40) });
  }
}

interface Unread {
  readonly text: string;
  readonly expected: string;
  readonly got: string;
}

/** The fault of a text that cannot be used; the text goes where no later edit replaces it. */
function unread(storage: KeyValueStorage, key: string, { text, expected, got }: Unread): PlaygroundError {
  const backup = `${key}/unread`;
  let next = `The scenario's own is used instead; the text stays in this browser under "${backup}".`;
  try {
    storage.setItem(backup, text);
  } catch {
    next =
      "The scenario's own is used instead; the next edit replaces the text, since there is no room for both.";
  }
  return new PlaygroundError({ code: "record-invalid", where: key, expected, got, next });
}

function sayFirst(problems: readonly Problem[]): Pick<Unread, "expected" | "got"> {
  const { path, expected, got } = problems[0] ?? { path: "", expected: "a valid value", got: "another" };
  return { expected: path === "" ? expected : `${path}: ${expected}`, got };
}

/** The kept rubric; null when there is none. @throws PlaygroundError `record-invalid`. */
export function loadRubric(storage: KeyValueStorage, scenarioId: string, setUpId: string): Rubric | null {
  const key = rubricKey(scenarioId, setUpId);
  const text = storage.getItem(key);
  if (text === null) return null;
  const value = parsed(storage, key, text);
  const result = rubricSchema.safeParse(value);
  const problems = result.success ? checkMisfits(result.data, "") : problemsOf(result.error, value);
  if (result.success && problems.length === 0) return result.data;
  throw unread(storage, key, { text, ...sayFirst(problems) });
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
  const value = parsed(storage, key, text);
  const result = scenarioPromptSchema.array().min(1).safeParse(value);
  if (result.success) return result.data;
  throw unread(storage, key, { text, ...sayFirst(problemsOf(result.error, value)) });
}

const introKey = "rubric-playground/v1/intro";

export function wasIntroSeen(storage: KeyValueStorage): boolean {
  return storage.getItem(introKey) !== null;
}

/** @throws PlaygroundError `storage-failed`. */
export function saveIntroSeen(storage: KeyValueStorage): void {
  save(storage, introKey, "seen");
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
