/**
 * Rubric files as their publishers write them: every field that they have, conversations, unused columns, nulls and canaries. Five to
 * six prompts each, so that some are held out, in few enough words for the bundled model's 256 positions.
 */
import { stringify } from "yaml";
import type { ExportName } from "../domain/rubric/formats/export-rubric.ts";
import type { FormatName } from "../domain/rubric/formats/registry.ts";

interface RealShapedFile {
  readonly name: string;
  readonly text: string;
  readonly format: FormatName;
  /** Prompts and criteria that it holds. */
  readonly holds: readonly [prompts: number, criteria: number];
  /** Other tools' forms that can hold all of it; ours always can. */
  readonly exports: readonly ExportName[];
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const user = (content: string) => ({ role: "user", content });

const ASKED = [
  "My kettle leaks. What now?",
  "I cut my hand. What now?",
  "My printer does not start.",
  "I burned my arm on the oven.",
  "My lamp arrived broken.",
  "My ankle is swollen. Can I walk?",
] as const;

const healthBench = ASKED.map((content, n) => ({
  example_tags: ["theme:hedging", "physician_agreed_category:no-uncertainty"],
  ideal_completions_data:
    n === 0 ? null : { ideal_completion: "Rest it.", ideal_completions_group: "Group 2" },
  prompt:
    n === 1
      ? [user("Hi"), { role: "assistant", content: "Hello! How can I help?" }, user(content)]
      : [user(content)],
  prompt_id: `00000000-0000-4000-8000-00000000000${n}`,
  rubrics: [
    {
      criterion: `Names the first thing to do, case ${n}`,
      points: 9,
      tags: ["level:example", "axis:accuracy"],
    },
    { criterion: `Asks back, case ${n}`, points: 3, tags: ["level:example", "axis:context_awareness"] },
    {
      criterion: `Is alarming, case ${n}`,
      points: -6,
      tags: ["level:example", "axis:communication_quality"],
    },
    { criterion: "Is free of jargon", points: 2, tags: ["level:cluster", "axis:communication_quality"] },
  ],
  canary: "healthbench:00000000",
}));

const rar = ASKED.slice(0, 5).map((question, n) => ({
  question,
  reference_answer: "Unplug it and ask for a new one.",
  question_source: "natural_reasoning",
  rubric: [
    { title: "First step", description: `Essential Criteria: Names the first step of case ${n}.`, weight: 5 },
    { title: "Reason", description: `Important Criteria: Gives the reason of case ${n}.`, weight: 4 },
    { title: "Tone", description: "Optional Criteria: Is kind.", weight: 1 },
    {
      title: "Blame",
      description: `Pitfall Criteria: Does not mention who is to blame in case ${n}.`,
      weight: -2,
    },
  ],
  rubric_list: ["First step", "Reason", "Tone", "Blame"],
  rubric_count: 4,
}));

const openRubrics = ASKED.slice(0, 5).map((instruction, n) => ({
  instruction,
  response_a: "Unplug it.",
  response_b: "No idea.",
  winner: n % 2 === 0 ? "response_a" : "response_b",
  rubric: [
    `1. The response has at most ${20 + n} words. [Hard Rule]`,
    "2. The response names what to do,",
    "   in the order in which it is done. [Principle]",
    `3. The response sees what is special in case ${n}. [Principle]`,
  ].join("\n"),
  source: "UltraFeedback",
}));

const rubricHub = ASKED.slice(0, 5).map((content, n) => ({
  prompt: [user(content)],
  Rubrics: [
    { criterion: `Names what is broken or hurt, case ${n}`, points: 6, tags: { verifier: "llm" } },
    { criterion: "Says what happens next", points: 4, tags: { verifier: "llm" } },
    { criterion: `Sends the person away, case ${n}`, points: -3, tags: { verifier: "llm" } },
  ],
  ability: n % 2 === 0 ? "writing" : "medical",
  data_source: "rubrichub",
  reward_model: { style: "rubric", ground_truth: "" },
  extra_info: { index: n },
}));

const researchRubrics = ASKED.slice(0, 5).map((prompt, n) => ({
  prompt,
  sample_id: `6847465956a0f6376a605${n}00`,
  domain: "Consumer",
  conceptual_breadth: "Simple",
  logical_nesting: "Shallow",
  exploration: "Low",
  rubrics: [
    { criterion: `Names the first step of case ${n}`, weight: 5.0, axis: "Explicit Criteria" },
    { criterion: "Gives a reason", weight: 2.0, axis: "Implicit Criteria" },
    { criterion: `Invents a source, case ${n}`, weight: -4.0, axis: "References & Citation Quality" },
  ],
}));

const infoBench = ASKED.slice(0, 5).map((input, n) => ({
  id: `domain_oriented_task_${n}`,
  input,
  category: "Support",
  instruction: "Answer this message.",
  decomposed_questions: ["Is the generated text an answer?", `Does it name the first step of case ${n}?`],
  subset: n < 3 ? "Easy_set" : "Hard_set",
  question_label: [["Format"], ["Content", "Style"]],
}));

/** As `datasets` saves it: every argument of every instruction in each entry, null where it has none. */
const NO_ARGUMENTS = Object.fromEntries(
  [
    ...["num_highlights", "relation", "num_words", "num_placeholders", "prompt_to_repeat", "num_bullets"],
    ...[
      "section_spliter",
      "num_sections",
      "capital_relation",
      "capital_frequency",
      "keywords",
      "num_paragraphs",
    ],
    ...["language", "let_relation", "letter", "let_frequency", "end_phrase", "forbidden_words", "keyword"],
    ...["frequency", "num_sentences", "postscript_marker", "first_word", "nth_paragraph"],
  ].map((name) => [name, null]),
);
const INSTRUCTIONS: readonly (readonly [string, object])[][] = [
  [
    ["punctuation:no_comma", {}],
    ["length_constraints:number_words", { relation: "less than", num_words: 12 }],
  ],
  [
    ["keywords:existence", { keywords: ["the", "you"] }],
    ["change_case:english_lowercase", {}],
  ],
  [
    ["keywords:forbidden_words", { forbidden_words: ["sorry", "order"] }],
    ["keywords:letter_frequency", { letter: "e", let_frequency: 5, let_relation: "at least" }],
  ],
  [
    ["length_constraints:number_sentences", { relation: "less than", num_sentences: 2 }],
    ["language:response_language", { language: "en" }],
  ],
  [
    ["detectable_format:title", {}],
    ["startend:end_checker", { end_phrase: "." }],
    ["keywords:frequency", { relation: "at least", keyword: "a", frequency: 2 }],
  ],
];
const ifEval = INSTRUCTIONS.map((asked, n) => ({
  key: 1000 + n,
  prompt: ASKED[n],
  instruction_id_list: asked.map(([id]) => id),
  kwargs: asked.map(([, given]) => ({ ...NO_ARGUMENTS, ...given })),
}));

const promptfoo = {
  description: "Replies of a support desk",
  providers: ["openai:gpt-4.1-mini"],
  prompts: ["Answer this: {{message}}"],
  defaultTest: {
    assert: [
      { type: "llm-rubric", value: "Is polite", weight: 2, metric: "Tone" },
      { type: "not-icontains", value: "as an ai" },
    ],
  },
  tests: ASKED.slice(0, 5).map((message, n) => ({
    description: `case ${n}`,
    vars: { message },
    assert: [
      { type: "contains-any", value: ["the", "you"], metric: "Words" },
      { type: "regex", value: "[aeiou]{2}", metric: "Words" },
      { type: "javascript", value: "output.length > 30", weight: 0.5 },
      { type: "not-llm-rubric", value: `Blames the person in case ${n}`, metric: "Tone" },
    ],
  })),
};

const verifiers = {
  criteria: [
    { name: "polite", text: "Is the reply polite?", weight: 2.0, choices: ["yes", "no"] },
    { name: "helps", text: "Does the reply say what to do?", weight: 1.0, choices: ["yes", "no"] },
    { name: "blames", text: "Does the reply blame the person?", weight: -1.0, choices: ["yes", "no"] },
  ],
};

const csv = [
  "prompt_id,Prompt,Criterion,Weight,Category,Required",
  ...ASKED.slice(0, 5).flatMap((asked, n) => [
    `q${n},"${asked}","Names the ""first"" step, case ${n}",3,Content,yes`,
    `q${n},"${asked}",Is short,1.5,Form,`,
    `q${n},"${asked}",Is rude,-2,Form,no`,
  ]),
].join("\r\n");

const ours = {
  $schema: "https://example.org/rubric.schema.json",
  title: "Replies",
  criteria: [
    {
      id: "short",
      text: "Has at most eight words",
      category: "Form",
      weight: 2,
      required: true,
      check: { type: "word-count", args: { min: 1, max: 8 } },
    },
    { id: "kind", text: "Is kind", category: "Tone", weight: 1.5 },
    { id: "blames", text: "Blames the person", category: "Tone", weight: 1, penalty: true },
    { id: "kettle", text: "Names the kettle", category: "Content", weight: 1, prompts: ["p0"] },
    { id: "watched", text: "Is cheerful", category: "Tone", weight: 0 },
  ],
  prompts: ASKED.slice(0, 5).map((content, n) => ({ id: `p${n}`, messages: [user(content)] })),
};

export const realShapedFiles: readonly RealShapedFile[] = [
  {
    name: "2025-05-07-06-14-12_oss_eval.jsonl",
    text: lines(healthBench),
    format: "healthbench",
    holds: [6, 19],
    exports: ["healthbench"],
  },
  {
    name: "rar-medicine.jsonl",
    text: lines(rar),
    format: "rar",
    holds: [5, 16],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "openrubrics.jsonl",
    text: lines(openRubrics),
    format: "open-rubrics",
    holds: [5, 11],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "rubrichub.jsonl",
    text: lines(rubricHub),
    format: "rubric-hub",
    holds: [5, 12],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "researchrubrics.json",
    text: JSON.stringify(researchRubrics),
    format: "research-rubrics",
    holds: [5, 11],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "infobench.jsonl",
    text: lines(infoBench),
    format: "info-bench",
    holds: [5, 6],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "ifeval.jsonl",
    text: lines(ifEval),
    format: "if-eval",
    holds: [5, 11],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "promptfooconfig.json",
    text: JSON.stringify(promptfoo),
    format: "promptfoo",
    holds: [5, 10],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "promptfooconfig.yaml",
    text: `# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json\n${stringify(promptfoo)}`,
    format: "promptfoo",
    holds: [5, 10],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "criteria.json",
    text: JSON.stringify(verifiers),
    format: "verifiers",
    holds: [0, 3],
    exports: ["promptfoo", "verifiers"],
  },
  {
    name: "rubric.csv",
    text: `\uFEFF${csv}\r\n`,
    format: "csv",
    holds: [5, 7],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "rubric.json",
    text: JSON.stringify(ours, null, 1),
    format: "ours",
    holds: [5, 5],
    exports: ["healthbench", "promptfoo"],
  },
  {
    name: "rubric.yaml",
    text: stringify(ours),
    format: "ours",
    holds: [5, 5],
    exports: ["healthbench", "promptfoo"],
  },
];
