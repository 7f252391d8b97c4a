/**
 * What stands in a rubric file, by readers of a few lines each that share nothing with the importer: a prompt, a criterion's words or
 * arguments, its signed weight and its category, as one text a fact. They trust the file; the importer must not.
 */
import { parse as parseYaml } from "yaml";
import { appliesTo } from "../domain/rubric/criteria.ts";
import type { FormatName } from "../domain/rubric/formats/registry.ts";
import type { RubricSet } from "../domain/rubric/formats/rubric-set.ts";

type Prompt = string | readonly { readonly role: string; readonly content: string }[];
type Numeric = number | string;

interface Fact {
  /** Whole conversation; "" without prompts. */
  readonly asked: string;
  readonly text: string;
  /** Below 0: it names something bad. */
  readonly points: number;
  readonly category: string;
  /** Type, whether it is negated, and what it is given. */
  readonly check?: readonly unknown[] | null;
  readonly id?: string | null;
}

const say = ({ asked, text, points, category, check = null, id = null }: Fact): string =>
  JSON.stringify([asked, text, points === 0 ? 0 : points, category, check, id]);

const conversation = (prompt: Prompt): string =>
  typeof prompt === "string"
    ? `user: ${prompt.trim()}`
    : prompt.map(({ role, content }) => `${role}: ${content}`).join("\n");

const axisOf = (tags: readonly string[] = []): string =>
  tags.find((tag) => tag.startsWith("axis:"))?.slice(5) ?? "";
const orAll = (category: string | undefined): string =>
  category === undefined || category === "" ? "all" : category;

const RAR: Readonly<Record<string, number>> = { essential: 1, important: 0.7, optional: 0.3, pitfall: 0.9 };
const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

function rarFact(question: string, given: { readonly description: string; readonly weight?: Numeric }): Fact {
  const description = given.description.trim();
  const [head = "", prefix = ""] =
    /^(essential|important|optional|pitfall)(?: criteria)?:\s*/i.exec(description) ?? [];
  const word = /^[a-z]+/i.exec(String(given.weight))?.[0].toLowerCase() ?? "";
  const kind = word in RAR ? word : prefix.toLowerCase();
  return {
    asked: conversation(question),
    text: description.slice(head.length).trim() || description,
    points: given.weight === undefined || word in RAR ? (RAR[kind] ?? NaN) : Number(given.weight),
    category: orAll(capital(kind)),
  };
}

const JUDGED = ["llm-rubric", "model-graded-closedqa", "model-graded-factuality", "factuality", "g-eval"];

interface Assertion {
  readonly type: string;
  readonly value?: unknown;
  readonly weight?: Numeric;
  readonly metric?: string;
}
type WrittenAssertion = string | Assertion | Readonly<Record<string, unknown>>;

function spelledOut(given: WrittenAssertion): Assertion {
  if (typeof given === "string") {
    const [, type = "", value] = /^([a-z-]+)(?::\s*(.*))?$/s.exec(given) ?? [];
    return { type, value };
  }
  const [only = ""] = Object.keys(given);
  return "type" in given
    ? (given as Assertion)
    : { type: only, value: (given as Record<string, unknown>)[only] };
}

function assertionFact(asked: string, given: WrittenAssertion): Fact {
  const { type, value, weight = 1, metric } = spelledOut(given);
  const [negated, plain] = [type.startsWith("not-"), type.replace(/^not-/, "")];
  const points = Number(weight);
  const category = orAll(metric);
  if (JUDGED.includes(plain))
    return { asked, text: String(value).trim(), points: negated ? -points : points, category };
  return { asked, text: "", points, category, check: [plain, negated, valueFor(plain, value)] };
}

/** Lists may be one text with commas, texts may be numbers. */
function valueFor(type: string, value: unknown): unknown {
  const text = (each: unknown): unknown => (typeof each === "number" ? String(each) : each);
  if (!/-(any|all)$/.test(type)) return type.includes("contains") ? text(value ?? null) : (value ?? null);
  if (typeof value !== "string") return Array.isArray(value) ? value.map(text) : value;
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

interface PromptfooFile {
  readonly assert?: readonly WrittenAssertion[];
  readonly prompts?: string | readonly string[];
  readonly defaultTest?: { readonly assert?: readonly WrittenAssertion[] };
  readonly tests?: readonly {
    readonly vars?: Readonly<Record<string, Numeric | undefined>>;
    readonly assert?: readonly WrittenAssertion[];
  }[];
}

function promptfooFacts(file: PromptfooFile | readonly WrittenAssertion[]): Fact[] {
  if (!("tests" in file)) {
    const list = "assert" in file ? (file.assert ?? []) : [file].flat();
    return (list as readonly WrittenAssertion[]).map((each) => assertionFact("", each));
  }
  return (file.tests ?? []).flatMap(({ vars = {}, assert = [] }) => {
    const put = (text: string): string =>
      text.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => String(vars[name] ?? whole));
    const [template = ""] = [file.prompts ?? "{{prompt}}"].flat();
    const all = [...(file.defaultTest?.assert ?? []), ...assert];
    return all.map((each) => assertionFact(`user: ${put(template)}`, each));
  });
}

/** RFC 4180, and cells in quotes that hold line ends. */
function csvRows(text: string): Record<string, string>[] {
  const cells = [...text.replace(/\r\n?/g, "\n").matchAll(/("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/g)];
  const rows: string[][] = [[]];
  for (const [, cell = "", end] of cells) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end !== ",") rows.push([]);
  }
  const [header = [], ...lines] = rows.filter((row) => row.some((cell) => cell.trim() !== ""));
  const names = header.map((name) => name.trim().toLowerCase());
  return lines.map((line) => Object.fromEntries(names.map((name, i) => [name, (line[i] ?? "").trim()])));
}

function csvFact(row: Record<string, string>): Fact {
  const cell = (...names: string[]): string | undefined =>
    names.map((name) => row[name]).find((x) => x !== undefined);
  const asked = cell("prompt", "question", "instruction");
  const id = cell("id", "name") ?? "";
  return {
    asked: asked === undefined ? "" : `user: ${asked}`,
    text: cell("criterion", "text", "description", "criteria") ?? "",
    points: Number(cell("weight", "points", "score") ?? 1),
    category: orAll(cell("category", "axis")),
    id: id === "" ? null : id,
  };
}

interface OurFile {
  readonly prompts?: readonly { readonly id: string; readonly messages: Exclude<Prompt, string> }[];
  readonly criteria: readonly {
    readonly id: string;
    readonly text: string;
    readonly weight: number;
    readonly category: string;
    readonly penalty?: boolean;
    readonly prompts?: readonly string[];
    readonly check?: { readonly type: string; readonly negate?: boolean; readonly args?: object } | null;
  }[];
}

function ourFacts({ prompts = [], criteria }: OurFile): Fact[] {
  return (prompts.length > 0 ? prompts : [null]).flatMap((prompt) =>
    criteria
      .filter(({ prompts: own }) => prompt === null || own === undefined || own.includes(prompt.id))
      .map(({ id, text, weight, penalty, category, check = null }): Fact => {
        const own = check === null ? null : [check.type, check.negate ?? false, check.args ?? {}];
        const points = penalty === true ? -weight : weight;
        const asked = prompt === null ? "" : conversation(prompt.messages);
        return { asked, text, points, category, check: own, id };
      }),
  );
}

interface Criteria {
  readonly criterion: string;
  readonly points: Numeric;
  readonly weight: Numeric;
  readonly axis?: string;
  readonly tags?: readonly string[];
}

/** Each is handed a row of its format. */
const rowReaders = {
  healthbench: ({ prompt, rubrics }: { prompt: Prompt; rubrics: Criteria[] }) =>
    rubrics.map(({ criterion, points, tags }) => ({
      asked: conversation(prompt),
      text: criterion.trim(),
      points: Number(points),
      category: orAll(axisOf(tags)),
    })),
  rar: ({ question, rubric }: { question: string; rubric: string | { description: string }[] }) =>
    (typeof rubric === "string" ? (JSON.parse(rubric) as { description: string }[]) : rubric).map((each) =>
      rarFact(question, each),
    ),
  "open-rubrics": ({ instruction, rubric }: { instruction: string; rubric: string }) =>
    rubric
      .split(/\n(?=\s*\d+\s*[.):])/)
      .filter((item) => item.trim() !== "")
      .map((item): Fact => {
        const lines = item.split("\n").map((line) => line.trim());
        const whole = lines.filter((line) => line !== "").join(" ");
        const [, text = "", kind = ""] =
          /^(?:\d+\s*[.):])?\s*(.*?)\s*\[(\w+ ?\w*)\]\s*\.?\s*$/.exec(whole) ?? [];
        const category = /hard/i.test(kind) ? "Hard Rule" : "Principle";
        return { asked: conversation(instruction), text, points: 1, category };
      }),
  "rubric-hub": ({ prompt, Rubrics, ability }: { prompt: Prompt; Rubrics: Criteria[]; ability?: string }) =>
    Rubrics.map(({ criterion, points }) => ({
      asked: conversation(prompt),
      text: criterion.trim(),
      points: Number(points),
      category: orAll(ability),
    })),
  "research-rubrics": ({ prompt, rubrics }: { prompt: Prompt; rubrics: Criteria[] }) =>
    rubrics.map(({ criterion, weight, axis }) => ({
      asked: conversation(prompt),
      text: criterion.trim(),
      points: Number(weight),
      category: orAll(axis),
    })),
  "info-bench": (row: {
    instruction: string;
    input?: string;
    decomposed_questions: string[];
    question_label?: string[][];
  }) =>
    row.decomposed_questions.map((text, i) => ({
      asked: conversation(
        [row.instruction, row.input ?? ""]
          .map((part) => part.trim())
          .filter((part) => part !== "")
          .join("\n\n"),
      ),
      text: text.trim(),
      points: 1,
      category: orAll(row.question_label?.[i]?.[0]),
    })),
  "if-eval": (row: { prompt: string; instruction_id_list: string[]; kwargs: (object | null)[] }) =>
    row.instruction_id_list.map((id, i): Fact => {
      const given = Object.entries(row.kwargs[i] ?? {}).filter(([, value]) => value !== null);
      return {
        asked: conversation(row.prompt),
        text: "",
        points: 1,
        category: id.split(":")[0] ?? "",
        check: [`ifeval:${id}`, false, Object.fromEntries(given.map(withCount))],
      };
    }),
  csv: (row: Record<string, string>) => [csvFact(row)],
  verifiers: ({ name, text, weight = 1 }: { name: string; text: string; weight?: Numeric }) => [
    { asked: "", text: text.trim(), points: Number(weight), category: "all", id: name.trim() },
  ],
};

/** Counts may be written as texts. */
function withCount([name, value]: [string, unknown]): [string, unknown] {
  const counts = /^num_|^nth_|frequency/.test(name) && typeof value === "string";
  return [name, counts ? Number(value) : value];
}

/** Every fact of a file, each once. @throws where the file is not what its name says */
export function plainFacts(text: string, name: string, format: FormatName): ReadonlySet<string> {
  const value = rawValue(text.replace(/^\uFEFF/, ""), name);
  return new Set(factsOf(value, format).map(say));
}

function factsOf(value: unknown, format: FormatName): readonly Fact[] {
  if (format === "ours") return ourFacts(value as OurFile);
  if (format === "promptfoo") return promptfooFacts(value as PromptfooFile);
  const listed =
    format === "verifiers" && !Array.isArray(value) ? (value as { criteria: unknown }).criteria : value;
  const reader = rowReaders[format] as (row: never) => readonly Fact[];
  return [listed].flat().flatMap((row) => reader(row as never));
}

function rawValue(text: string, name: string): unknown {
  if (name.endsWith(".csv")) return csvRows(text);
  if (name.endsWith(".yaml")) return parseYaml(text);
  const lines = (): unknown[] =>
    text
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "")
      .map((line): unknown => JSON.parse(line));
  if (name.endsWith(".jsonl")) return lines();
  try {
    return JSON.parse(text);
  } catch {
    return lines();
  }
}

/** The same facts of an imported set, in the way of its format. */
export function importedFacts({ prompts, criteria }: RubricSet, format: FormatName): ReadonlySet<string> {
  const withId = ["ours", "verifiers"].includes(format);
  const facts = (prompts.length === 0 ? [null] : prompts).flatMap((prompt) =>
    criteria
      .filter((criterion) => prompt === null || appliesTo(criterion, prompt.id))
      .map(({ id, text, weight, penalty, category, check }): Fact => {
        const asked = prompt === null ? "" : conversation(prompt.messages);
        const points = penalty === true ? -weight : weight;
        const decided = check === null ? null : [check.type, check.negate, check.args];
        const fact = { asked, text, points, category, check: decided, id: withId ? id : null };
        if (check === null || format === "ours") return fact;
        const [type, args] = [check.type.replace(/^promptfoo:/, ""), check.args];
        return {
          ...fact,
          text: "",
          check: [type, check.negate, format === "promptfoo" ? (args["value"] ?? null) : args],
        };
      }),
  );
  return new Set(facts.map(say));
}
