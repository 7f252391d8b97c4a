/**
 * From a rubric with its prompts to a file of another tool, where that tool's form can hold it; else the reasons why not. What
 * the form has no field for stands where it lets people add their own (HealthBench's tags, promptfoo's config), so that
 * import(export(x)) = x.
 */
import { PlaygroundError } from "../../../base/errors.ts";
import { stringify } from "yaml";
import type { ScenarioPrompt } from "../../run/spec.ts";
import { appliesTo } from "../criteria.ts";
import type { Criterion } from "../schema.ts";
import { NO_CATEGORY } from "./draft.ts";
import { promptfooAssertion } from "./promptfoo-args.ts";
import { literal } from "./promptfoo-templates.ts";
import type { RubricSet } from "./rubric-set.ts";

interface ExportTarget {
  /** As the page names it. */
  readonly title: string;
  readonly extension: "json" | "yaml" | "jsonl";
  /** What its form cannot hold of the set; empty where it holds all. */
  misses(set: RubricSet): readonly string[];
  write(set: RubricSet): string;
}

export const exportTargets = {
  "ours-yaml": {
    title: "This page's own, YAML",
    extension: "yaml",
    misses: () => [],
    write: (set) => stringify(plain(set), { lineWidth: 0, aliasDuplicateObjects: false }),
  },
  ours: {
    title: "This page's own, JSON",
    extension: "json",
    misses: () => [],
    write: (set) => `${JSON.stringify(plain(set), null, 1)}\n`,
  },
  healthbench: {
    title: "HealthBench",
    extension: "jsonl",
    misses: ({ prompts, criteria }) => [
      ...(prompts.length === 0 ? ["it has no prompts, and each row of HealthBench is one"] : []),
      ...prompts.flatMap((prompt) => lacksPositive(prompt, criteria)),
      ...criteria.flatMap((criterion) => appliesNowhere(criterion, prompts)),
      ...criteria.flatMap(({ id, text }) =>
        text === text.trim() ? [] : [`"${id}" has space around its text`],
      ),
    ],
    write: ({ prompts, criteria }) =>
      prompts.map((prompt) => `${JSON.stringify(healthBenchRow(prompt, criteria))}\n`).join(""),
  },
  promptfoo: {
    title: "promptfoo",
    extension: "yaml",
    misses: ({ prompts, criteria }) => [
      ...prompts.flatMap(({ id, messages }) =>
        messages.length === 1
          ? []
          : [`prompt "${id}" is a conversation, and promptfoo's tests here hold one message`],
      ),
      ...prompts.flatMap((prompt) => lacksPositive(prompt, criteria)),
      ...criteria.flatMap((criterion) => appliesNowhere(criterion, prompts)),
    ],
    write: (set) => stringify(promptfooFile(set), { lineWidth: 0, aliasDuplicateObjects: false }),
  },
  verifiers: {
    title: "verifiers criteria",
    extension: "json",
    misses: ({ prompts, criteria }) => [
      ...(prompts.length > 0 ? ["it has prompts, and the form holds criteria alone"] : []),
      ...(criteria.some(({ category }) => category !== NO_CATEGORY)
        ? ["it has categories, and the form has none"]
        : []),
      ...(criteria.some(({ check }) => check !== null)
        ? ["it has programmatic checks, and the form has words alone"]
        : []),
      ...(criteria.some(({ required }) => required)
        ? ["it has required criteria, and the form has none"]
        : []),
      ...(criteria.some(({ prompts: own }) => own !== undefined)
        ? ["it has criteria of single prompts"]
        : []),
      ...(criteria.some(({ penalty, weight }) => penalty === true && weight === 0)
        ? ["a penalty of weight 0 has no sign"]
        : []),
    ],
    write: ({ title, criteria }) =>
      `${JSON.stringify({ title, criteria: criteria.map(({ id, text, weight, penalty }) => ({ name: id, text, weight: penalty === true ? -weight : weight })) }, null, 1)}\n`,
  },
} satisfies Record<string, ExportTarget>;
export type ExportName = keyof typeof exportTargets;

/** The file's text. @throws PlaygroundError `rubric-invalid` with every reason why the form cannot hold the set */
export function exportRubric(set: RubricSet, name: ExportName): string {
  const target: ExportTarget = exportTargets[name];
  const reasons = target.misses(set);
  if (reasons.length === 0) return target.write(set);
  throw new PlaygroundError({
    code: "rubric-invalid",
    where: `the rubric as ${target.title}`,
    expected: "a rubric that the form can hold",
    got: reasons.slice(0, 20).join("; "),
    next: "Save it as this page's own, which holds everything.",
  });
}

/** Nothing that says only the default. */
function plain({ title, criteria, prompts }: RubricSet): object {
  return { title, criteria, ...(prompts.length === 0 ? {} : { prompts }) };
}

function lacksPositive({ id }: ScenarioPrompt, criteria: readonly Criterion[]): string[] {
  const own = criteria.filter((criterion) => appliesTo(criterion, id));
  if (own.some(({ weight, penalty }) => weight > 0 && penalty !== true)) return [];
  return [`prompt "${id}" has no criterion with positive points`];
}

function appliesNowhere(criterion: Criterion, prompts: readonly ScenarioPrompt[]): string[] {
  const all = criterion.prompts ?? [];
  const known = new Set(prompts.map(({ id }) => id));
  if (all.every((id) => known.has(id)) && (prompts.length > 0 || all.length === 0)) return [];
  return [`"${criterion.id}" counts for prompts that are not there`];
}

function healthBenchRow({ id, messages, fields }: ScenarioPrompt, criteria: readonly Criterion[]): object {
  const rubrics = criteria.flatMap((criterion, place) => {
    if (!appliesTo(criterion, id)) return [];
    const { text, weight, category, penalty, required, check } = criterion;
    const tags = [
      `axis:${category}`,
      `id:${criterion.id}`,
      `place:${place}`,
      ...(required ? ["required"] : []),
      ...(penalty === true ? ["penalty"] : []),
      ...(check === null ? [] : [`check:${JSON.stringify(check)}`]),
    ];
    return [{ criterion: text, points: penalty === true && weight > 0 ? -weight : weight, tags }];
  });
  const tags = Object.keys(fields).length === 0 ? [] : [`fields:${JSON.stringify(fields)}`];
  return { prompt_id: id, prompt: messages, rubrics, example_tags: tags };
}

function promptfooFile({ title, criteria, prompts }: RubricSet): object {
  if (prompts.length === 0) return { description: title, assert: criteria.map(assertion) };
  const tests = prompts.map((prompt) => ({
    vars: { prompt: literal(prompt.messages[0]?.content ?? "") },
    metadata: { prompt },
    assert: criteria.flatMap((criterion, place) =>
      appliesTo(criterion, prompt.id) ? [assertion(criterion, place)] : [],
    ),
  }));
  return { description: title, prompts: ["{{prompt}}"], tests };
}

/** As a check that promptfoo has, else in words for the model that judges there; ours comes back whole by `config`. */
function assertion(criterion: Criterion, place: number): object {
  const { id, text, weight, category, required, penalty = false, check } = criterion;
  const asked = check === null ? null : promptfooAssertion({ ...check, negate: check.negate !== penalty });
  return {
    ...(asked ?? { type: penalty ? "not-llm-rubric" : "llm-rubric", value: literal(text) }),
    weight,
    metric: category,
    config: { rubricPlayground: { id, text, category, required, penalty, check, place } },
  };
}
