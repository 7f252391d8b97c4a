/** Files of every rubric format, small and shaped like the real ones, and random rubrics for the round trips. */
import type { Rng } from "../base/rng.ts";
import type { Criterion } from "../domain/rubric/schema.ts";
import type { FormatName } from "../domain/rubric/formats/registry.ts";
import type { RubricSet } from "../domain/rubric/formats/rubric-set.ts";

const lines = (...rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const user = (content: string) => [{ role: "user", content }];

/** What the file is called and holds. */
export interface SampleFile {
  readonly name: string;
  readonly text: string;
}

export const healthBenchRow = (n: number, points: readonly unknown[] = [7, 5, 10, -6]) => ({
  prompt_id: `hb-${n}`,
  prompt: user(`My ankle hurts since day ${n}. What now?`),
  rubrics: points.map((value, i) => ({
    criterion: `Criterion ${n}.${i} of the reply`,
    points: value,
    tags: [`axis:${i % 2 === 0 ? "accuracy" : "completeness"}`, "level:example"],
  })),
  example_tags: ["theme:hedging"],
  ideal_completions_data: null,
});

export const sampleFiles: Readonly<Record<FormatName, SampleFile>> = {
  ours: {
    name: "ours.json",
    text: JSON.stringify({
      title: "Ours",
      criteria: [
        {
          id: "short",
          text: "Is short",
          category: "Form",
          weight: 2,
          check: { type: "word-count", args: { max: 30 } },
        },
        { id: "kind", text: "Is kind", category: "Tone", weight: 1 },
      ],
    }),
  },
  healthbench: { name: "hb.jsonl", text: lines(healthBenchRow(1), healthBenchRow(2, [3, -2])) },
  rar: {
    name: "rar.jsonl",
    text: lines({
      question: "What does a fever mean?",
      reference_answer: "Mostly an infection.",
      question_source: "made",
      rubric: [
        { title: "Cause", description: "Essential Criteria: Names an infection.", weight: 5 },
        { title: "Rest", description: "Optional Criteria: Suggests rest.", weight: 1 },
        { title: "Alarm", description: "Pitfall Criteria: Does not say when to see a doctor.", weight: -1 },
      ],
      rubric_list: ["Names an infection."],
      rubric_count: 3,
    }),
  },
  "open-rubrics": {
    name: "open.jsonl",
    text: lines({
      instruction: "Write a haiku.",
      response_a: "a",
      response_b: "b",
      winner: "a",
      rubric:
        "1. The reply has three lines. [Hard Rule]\n2. The reply speaks of nature,\nwithout naming it. [Principle]",
      source: "made",
    }),
  },
  "rubric-hub": {
    name: "hub.jsonl",
    text: lines({
      prompt: user("Explain tides."),
      Rubrics: [
        { criterion: "Names the moon", points: 4 },
        { criterion: "Blames the wind", points: -2 },
      ],
      ability: "Science",
      data_source: "made",
      reward_model: { style: "rubric" },
    }),
  },
  "research-rubrics": {
    name: "research.json",
    text: JSON.stringify([
      {
        sample_id: "s1",
        prompt: "Compare two maps.",
        rubrics: [
          { criterion: "Names both maps", weight: 5, axis: "Explicit" },
          { criterion: "Invents a source", weight: -3, axis: "References" },
        ],
        domain: "Geography",
      },
    ]),
  },
  "info-bench": {
    name: "info.jsonl",
    text: lines({
      id: "ib-1",
      input: "tea, milk",
      category: "Food",
      instruction: "Make a list of what you need.",
      decomposed_questions: ["Is it a list?", "Does it name tea?"],
      subset: "Easy_set",
      question_label: [["Format"], ["Content"]],
    }),
  },
  "if-eval": {
    name: "ifeval.jsonl",
    text: lines({
      key: 1000,
      prompt: "Write about rain without commas, in at least 30 words.",
      instruction_id_list: ["punctuation:no_comma", "length_constraints:number_words"],
      kwargs: [{ num_words: null }, { num_words: 30, relation: "at least" }],
    }),
  },
  promptfoo: {
    name: "promptfoo.yaml",
    text: [
      "description: Replies",
      "prompts: ['Answer this: {{question}}']",
      "tests:",
      "  - vars: { question: Where is my parcel? }",
      "    assert:",
      "      - contains: parcel",
      "      - { type: llm-rubric, value: Is polite, weight: 2, metric: Tone }",
      "      - { type: not-llm-rubric, value: Blames the person, metric: Tone }",
      "      - { type: not-icontains, value: sorry, weight: 0 }",
      "",
    ].join("\n"),
  },
  verifiers: {
    name: "verifiers.json",
    text: JSON.stringify({
      criteria: [
        { name: "polite", text: "Is it polite?", weight: 2, choices: ["yes", "no"] },
        { name: "rude", text: "Is it rude?", weight: -1 },
      ],
    }),
  },
  csv: {
    name: "rubric.csv",
    text: 'Criterion,Weight,Category,Prompt\r\n"Names the cause, in words",3,Content,Why?\r\nIs short,1,Form,Why?\r\nIs short,1,Form,How?\r\n',
  },
};

const WORDS = [
  "names",
  "the",
  "cause",
  "und",
  "Grüße",
  '"quoted"',
  "a: b",
  "#tag",
  "{{x}}",
  "- dash",
  "yes",
  "1e3",
  "~",
];

function words(rng: Rng, most: number): string {
  const count = 1 + Math.floor(rng.next() * most);
  return Array.from({ length: count }, () => WORDS[Math.floor(rng.next() * WORDS.length)]).join(" ");
}

/** What a random set must not have. */
export interface SetLimits {
  readonly prompts: "none" | "single" | "any";
  /** Words alone: no categories, checks, required ones. */
  readonly bare?: boolean;
}

/** A valid set with odd texts, penalties, weights of 0 and criteria of single prompts. */
export function randomSet(rng: Rng, { prompts: kind, bare = false }: SetLimits): RubricSet {
  const count = kind === "none" ? 0 : 1 + Math.floor(rng.next() * 4);
  const prompts = Array.from({ length: count }, (_, i) => ({
    id: `q${i}`,
    messages:
      kind === "any" && rng.next() < 0.3
        ? [
            { role: "user" as const, content: words(rng, 3) },
            { role: "assistant" as const, content: words(rng, 3) },
            { role: "user" as const, content: words(rng, 3) },
          ]
        : [{ role: "user" as const, content: words(rng, 6) }],
    fields: rng.next() < 0.3 ? { name: words(rng, 1) } : {},
  }));
  const criteria = Array.from({ length: 1 + Math.floor(rng.next() * 8) }, (_, i): Criterion => {
    const own = prompts.filter(() => rng.next() < 0.5).map(({ id }) => id);
    const single = i > 0 && own.length > 0 && own.length < prompts.length;
    return {
      id: `k${i}`,
      text: words(rng, 5),
      category: bare ? "all" : words(rng, 2),
      weight: i === 0 ? 1 + Math.floor(rng.next() * 9) : Math.floor(rng.next() * 40) / 4,
      required: !bare && rng.next() < 0.3,
      veto: false,
      check:
        !bare && rng.next() < 0.4
          ? { type: "word-count", args: { max: 40 }, negate: rng.next() < 0.5 }
          : null,
      ...(single ? { prompts: own } : {}),
    };
  }).map((criterion, i): Criterion =>
    i > 0 && criterion.weight > 0 && rng.next() < 0.3 ? { ...criterion, penalty: true } : criterion,
  );
  return { title: words(rng, 3), criteria, prompts };
}
