/**
 * From a judge's reply to verdicts. A reply may wrap its JSON in prose, fences or thinking; what cannot be read without doubt
 * is no verdict, with the reason in words, and never 0.
 */

/** One criterion's verdict, or why there is none. */
export type ReadVerdict =
  { readonly met: boolean; readonly explanation: string } | { readonly missing: string };

const SHOWN = 120;
const shown = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SHOWN ? `“${line}”` : `“${line.slice(0, SHOWN)}…”`;
};

/** The verdict in a reply about one criterion. */
export function readCriterionReply(text: string): ReadVerdict {
  const found = jsonObjects(text).filter((object) => metOf(object) !== null);
  const [first] = found;
  if (first === undefined) return { missing: `no JSON with "criteria_met" in the reply ${shown(text)}` };
  if (found.some((object) => metOf(object) !== metOf(first)))
    return { missing: `the reply says both met and not met: ${shown(text)}` };
  return verdictOf(first);
}

/** [C] The verdicts in a reply about a numbered list. */
export function readRubricReply(text: string, count: number): readonly ReadVerdict[] {
  const all = (missing: string): readonly ReadVerdict[] => Array.from({ length: count }, () => ({ missing }));
  const objects = jsonObjects(text);
  const lists = objects.flatMap((object) =>
    Array.isArray(object["verdicts"]) ? [object["verdicts"] as readonly unknown[]] : [],
  );
  const bare = objects.filter((object) => "id" in object);
  const list = lists[0] ?? (bare.length > 0 ? bare : undefined);
  if (list === undefined) return all(`no JSON with "verdicts" in the reply ${shown(text)}`);
  if (lists.length > 1) return all(`the reply holds ${lists.length} lists of verdicts`);
  const entries = list.filter(isObject);
  // whoever counts from 0 means another criterion by each number
  if (entries.some((entry) => idOf(entry) < 1))
    return all(`the reply does not count the criteria from 1: ${shown(text)}`);
  return Array.from({ length: count }, (_, i) => entryOf(entries, i + 1, list.length, count));
}

/** Its number; NaN where it has none. */
function idOf({ id }: JsonObject): number {
  return typeof id === "number" || (typeof id === "string" && id.trim() !== "") ? Number(id) : Number.NaN;
}

function entryOf(entries: readonly JsonObject[], id: number, got: number, count: number): ReadVerdict {
  const own = entries.filter((entry) => idOf(entry) === id);
  const [first] = own;
  if (first === undefined) {
    return { missing: `the reply holds no verdict on criterion ${id} (${got} for ${count} criteria)` };
  }
  if (metOf(first) === null) return { missing: `the verdict on criterion ${id} is neither true nor false` };
  if (own.some((entry) => metOf(entry) !== metOf(first)))
    return { missing: `the reply gives two verdicts on criterion ${id}` };
  return verdictOf(first);
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function verdictOf(object: JsonObject): ReadVerdict {
  const { explanation } = object;
  return { met: metOf(object) === true, explanation: typeof explanation === "string" ? explanation : "" };
}

const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

/** Without a schema to hold it to, a model may write the word or the number. */
function metOf({ criteria_met: met }: JsonObject): boolean | null {
  const plain = typeof met === "boolean" || typeof met === "number" || typeof met === "string";
  const word = plain ? String(met).toLowerCase() : "";
  return Object.hasOwn(WORDS, word) ? (WORDS[word] ?? null) : null;
}

/** Braces that are tried as an object's start: a reply of nothing but braces must not take long. */
const MOST_TRIES = 100;

/** Every outermost JSON object of a text, thinking left out. */
function jsonObjects(text: string): JsonObject[] {
  const said = text.replace(/<think>[\s\S]*?(<\/think>|$)/g, "");
  const found: JsonObject[] = [];
  let tries = 0;
  for (let at = said.indexOf("{"); at !== -1 && tries < MOST_TRIES; at = said.indexOf("{", at), tries++) {
    const end = endOfObject(said, at);
    const value = end === -1 ? null : parsed(said.slice(at, end));
    if (value !== null) found.push(value);
    at = value === null ? at + 1 : end;
  }
  return found;
}

/** The place after the brace that closes the one at `start`; -1 where none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return i + 1;
  }
  return -1;
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
