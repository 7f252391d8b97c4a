/**
 * promptfoo: assertions as a list, an `assert` block or a whole configuration with tests, in JSON or YAML. `not-` before a type
 * negates it, weight 0 is logged only, `metric` is the category. What our own exporter adds under `config` comes back whole.
 * Settings that change a score in a way that is not known here (transform, provider, thresholds of graded types) are refused, and
 * so is what only promptfoo could look up: files, template code beyond plain {{variables}}, a variable that is a list of tests.
 */
import { z } from "zod";
import { scenarioPromptSchema, type ChatMessage } from "../../run/spec.ts";
import { checkSpecSchema } from "../schema.ts";
import { NO_CATEGORY, numberSchema, type Draft, type DraftCriterion, type DraftRow } from "./draft.ts";
import type { FileDocument } from "./file-document.ts";
import { isRecord, tellUnknown, type RubricFormat, type Values } from "./format.ts";
import { knownCheck, tellMisfits } from "./known-check.ts";
import { below, type Problems } from "./problems.ts";
import { promptfooArgs } from "./promptfoo-args.ts";
import { filledIn, render, unresolved, variable } from "./promptfoo-templates.ts";

/** Types whose value is a criterion in words, for a model to judge. */
const JUDGED: readonly string[] = [
  "llm-rubric",
  "model-graded-closedqa",
  "model-graded-factuality",
  "factuality",
  "g-eval",
];

/** Types that a program decides, and how they are said in words. */
const WORDS: Readonly<Record<string, string>> = {
  equals: "Is exactly {}",
  contains: "Contains {}",
  icontains: "Contains {}, in any case",
  "contains-any": "Contains one of {}",
  "contains-all": "Contains all of {}",
  "icontains-any": "Contains one of {}, in any case",
  "icontains-all": "Contains all of {}, in any case",
  regex: "Matches the pattern {}",
  "starts-with": "Starts with {}",
  "is-json": "Is JSON",
  "contains-json": "Contains JSON",
  levenshtein: "Is within a few edits of {}",
  "rouge-n": "Shares enough words with {}",
  bleu: "Shares enough word groups with {}",
  "word-count": "Has {} words",
  similar: "Means about {}",
  javascript: "Meets the expression {}",
};

const ownSchema = z.strictObject({
  id: z.string().min(1),
  text: z.string().min(1),
  category: z.string().min(1),
  required: z.boolean(),
  penalty: z.boolean(),
  check: checkSpecSchema.nullable(),
  place: z.number(),
});

const assertionSchema = z.strictObject({
  type: z.string().min(1),
  value: z.unknown().optional(),
  threshold: numberSchema.optional(),
  weight: numberSchema.refine((weight) => weight >= 0, "a weight of at least 0").default(1),
  metric: z.string().min(1).optional(),
  description: z.string().optional(),
  config: z.strictObject({ rubricPlayground: ownSchema }).optional(),
});

export const promptfoo: RubricFormat = {
  title: "promptfoo assertions",
  fits: (document) => {
    if (document.kind === "rows") return document.rows.some(({ value }) => isAssertion(value));
    return (
      document.kind === "value" &&
      isRecord(document.value) &&
      (Array.isArray(document.value["assert"]) ||
        Array.isArray(document.value["tests"]) ||
        ("prompts" in document.value && ("tests" in document.value || "scenarios" in document.value)) ||
        isAssertion(document.value))
    );
  },
  read: (document, problems) => readDocument(document, problems),
};

/** `contains: x` is short for `{ type: contains, value: x }`; a list's entry may also be that as one text. */
function isAssertion(value: unknown): boolean {
  if (typeof value === "string") return shorthand(value) !== null;
  if (!isRecord(value)) return false;
  const [only, ...others] = Object.keys(value);
  return (
    (typeof value["type"] === "string" && isType(value["type"])) ||
    (others.length === 0 && isType(only ?? ""))
  );
}

const plainType = (type: string): string => type.replace(/^not-/, "");
const isType = (type: string): boolean =>
  JUDGED.includes(plainType(type)) || Object.hasOwn(WORDS, plainType(type));

function shorthand(text: string): Values | null {
  const match = /^([a-z-]+)(?::\s*(.*))?$/s.exec(text);
  if (match?.[1] === undefined || !isType(match[1])) return null;
  return { type: match[1], ...(match[2] === undefined ? {} : { value: match[2] }) };
}

function readDocument(document: FileDocument, problems: Problems): Draft {
  if (document.kind !== "value") {
    const list = document.rows.map(({ value }) => value);
    return { rows: [{ where: "", messages: null, criteria: assertionsOf(list, "", problems) }] };
  }
  const value = document.value;
  if (!isRecord(value)) return { rows: [] };
  if (!("tests" in value) && !("scenarios" in value)) {
    const list = "assert" in value ? value["assert"] : [value];
    if ("assert" in value) tellUnknown(value, ["assert", "description"], "", problems);
    return {
      title: titleOf(value),
      rows: [{ where: "", messages: null, criteria: assertionsOf(list, "assert", problems) }],
    };
  }
  return { title: titleOf(value), rows: testsOf(value, problems) };
}

function titleOf(value: Values): string | undefined {
  const title = value["description"];
  return typeof title === "string" && title !== "" ? title : undefined;
}

const KNOWN_FIELDS = [
  "description",
  "prompts",
  "providers",
  "tests",
  "defaultTest",
  "env",
  "outputPath",
  "$schema",
];
const testSchema = z.looseObject({
  description: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).default({}),
  assert: z.array(z.unknown()).default([]),
  metadata: z
    .looseObject({ id: z.string().min(1).optional(), prompt: scenarioPromptSchema.optional() })
    .default({}),
});

/** What every test has unless it says otherwise. */
function defaultsOf(given: unknown, problems: Problems): { readonly vars: Values; readonly assert: unknown } {
  const read = given === undefined ? null : problems.read(testSchema, given, "defaultTest");
  if (read === null || !isRecord(given)) return { vars: {}, assert: [] };
  tellTest(given, "defaultTest", problems);
  return { vars: read.vars, assert: read.assert };
}

function tellTest(test: Values, where: string, problems: Problems): void {
  tellUnknown(test, ["description", "vars", "assert", "metadata", "options"], where, problems);
  if (isRecord(test["options"]) && Object.keys(test["options"]).length > 0) {
    const got = Object.keys(test["options"]).join(", ");
    problems.add(below(where, "options"), "no options: they change prompt, answer or judge", got);
  }
}

/** Told here, so that it is told once. */
function tellVars(vars: Values, where: string, problems: Problems): void {
  for (const [name, value] of Object.entries(vars)) {
    const at = below(where, `vars.${name}`);
    if (Array.isArray(value)) problems.add(at, "one value: a list stands for several tests", "a list");
    else if (typeof value === "string" && value.startsWith("file://"))
      problems.add(at, "the value itself", `a file's address: ${value}`);
  }
}

function testsOf(value: Values, problems: Problems): DraftRow[] {
  tellUnknown(value, KNOWN_FIELDS, "", problems);
  if ("scenarios" in value) problems.add("scenarios", "the tests themselves, under tests", "scenarios");
  const shared = defaultsOf(value["defaultTest"], problems);
  const tests = problems.read(z.array(z.unknown()), value["tests"], "tests") ?? [];
  const template = templateOf(value["prompts"], problems);
  return tests.flatMap((each, i): DraftRow[] => {
    const where = `tests[${i}]`;
    const test = problems.read(testSchema, each, where);
    if (test === null) return [];
    if (isRecord(each)) tellTest(each, where, problems);
    const vars = { ...shared.vars, ...test.vars };
    const own = test.metadata.prompt;
    if (own === undefined) tellVars(vars, where, problems);
    const messages = own?.messages ?? filled(template, vars, where, problems);
    return [
      {
        where,
        promptId: own?.id ?? test.metadata.id ?? null,
        messages,
        fields: own?.fields ?? fieldsOf(vars),
        criteria: [
          ...assertionsOf(filledIn(shared.assert, vars), "defaultTest.assert", problems),
          ...assertionsOf(filledIn(test.assert, vars), below(where, "assert"), problems),
        ],
      },
    ];
  });
}

/** Variables that are texts: what checks of the prompt's own parts and expressions see. */
function fieldsOf(vars: Values): Record<string, string> {
  const texts = Object.entries(vars).filter((each): each is [string, string] => typeof each[1] === "string");
  return Object.fromEntries(texts.filter(([name, text]) => name !== "prompt" && text !== ""));
}

function templateOf(prompts: unknown, problems: Problems): string {
  const list: readonly unknown[] = Array.isArray(prompts)
    ? prompts
    : prompts === undefined
      ? ["{{prompt}}"]
      : [prompts];
  const [first] = list;
  if (list.length === 1 && typeof first === "string" && !first.startsWith("file://")) return first;
  problems.add(
    "prompts",
    "one prompt as text",
    list.length === 1 ? "a file or an object" : `${list.length} of them`,
  );
  return "{{prompt}}";
}

function filled(template: string, vars: Values, where: string, problems: Problems): ChatMessage[] {
  const content = render(template, (name) => {
    const value = variable(vars, name);
    if (typeof value === "string" || typeof value === "number") return String(value);
    problems.add(
      below(where, `vars.${name}`),
      "a text, as the prompt asks for it",
      value === undefined ? "nothing" : "a list or an object",
    );
    return "";
  });
  if (/\{[{%]/.test(content)) problems.add("prompts", "plain {{variables}} alone", "other template code");
  return [{ role: "user", content }];
}

function assertionsOf(list: unknown, where: string, problems: Problems): DraftCriterion[] {
  if (!Array.isArray(list)) {
    problems.add(where, "a list of assertions", typeof list);
    return [];
  }
  return list.flatMap((each: unknown, i) => {
    const drafted = draftOf(each, where === "" ? `row ${i + 1}` : `${where}[${i}]`, problems);
    return drafted === null ? [] : [drafted];
  });
}

function spelledOut(value: unknown): unknown {
  if (typeof value === "string") return shorthand(value) ?? value;
  if (!isRecord(value) || "type" in value) return value;
  const [type, ...others] = Object.keys(value);
  return type !== undefined && others.length === 0 && isType(type) ? { type, value: value[type] } : value;
}

function draftOf(given: unknown, where: string, problems: Problems): DraftCriterion | null {
  const assertion = problems.read(assertionSchema, spelledOut(given), where);
  if (assertion === null) return null;
  const { type, value, threshold, weight, metric, config } = assertion;
  if (!isType(type)) {
    problems.add(
      below(where, "type"),
      `one of ${[...JUDGED, ...Object.keys(WORDS)].join(", ")}, with or without not-`,
      `"${type}"`,
    );
    return null;
  }
  if (config !== undefined) return { where, points: weight, ...config.rubricPlayground };
  const left = unresolved(value);
  if (left !== null) {
    problems.add(below(where, "value"), "the value itself, with plain {{variables}} of the test alone", left);
    return null;
  }
  const judged = JUDGED.includes(plainType(type));
  const category = metric ?? NO_CATEGORY;
  const negate = type.startsWith("not-");
  if (!judged) {
    const text = inWords(type, value);
    return {
      where,
      text,
      points: weight,
      category,
      check: checkOf({ type: plainType(type), value, threshold, negate }, where, problems),
    };
  }
  if (typeof value !== "string" || value.trim() === "") {
    problems.add(
      below(where, "value"),
      "the criterion in words",
      value === undefined ? "nothing" : typeof value,
    );
    return null;
  }
  if (threshold !== undefined) {
    problems.add(below(where, "threshold"), "no threshold: a judge here says yes or no", String(threshold));
    return null;
  }
  return { where, text: value.trim(), points: weight, category, penalty: negate };
}

function inWords(type: string, value: unknown): string {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const said = list.map((each) => (typeof each === "string" ? `“${each}”` : String(each))).join(", ");
  const words = (WORDS[plainType(type)] ?? type).replace("{}", () => said);
  return type.startsWith("not-") ? `Not: ${words}` : words;
}

interface Asked {
  readonly type: string;
  readonly value: unknown;
  readonly threshold: number | undefined;
  readonly negate: boolean;
}

/** The check that does what promptfoo's type does; a value that it cannot use is told. */
function checkOf(
  { type, negate, ...given }: Asked,
  where: string,
  problems: Problems,
): DraftCriterion["check"] {
  const name = type === "similar" ? "similar" : `promptfoo:${type}`;
  const args = promptfooArgs(type, given);
  if (args === null) return null;
  tellMisfits(name, args, where, problems);
  return knownCheck(name, args, negate);
}
