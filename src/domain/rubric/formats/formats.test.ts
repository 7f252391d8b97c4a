import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createRng } from "../../../base/rng.ts";
import { healthBenchRow, randomSet, sampleFiles, type SetLimits } from "../../../testing/rubric-files.ts";
import { exportRubric, type ExportName } from "./export-rubric.ts";
import { importRubric } from "./import-rubric.ts";
import { formatNames, type FormatName } from "./registry.ts";

const lines = (...rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
const read = (text: string, name = "file.jsonl") => importRubric(text, { name });
function fault(text: string, name = "file.jsonl", format: FormatName | null = null): string {
  try {
    importRubric(text, { name, format });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "no fault";
}
const short = (name: FormatName): unknown => {
  const { text, name: file } = sampleFiles[name];
  const { set } = importRubric(text, { name: file });
  return {
    prompts: set.prompts.map(({ id, messages }) => `${id}: ${messages.at(-1)?.content ?? ""}`),
    criteria: set.criteria.map(({ id, text: words, category, weight, penalty, required, prompts }) =>
      [
        id,
        words,
        category,
        penalty === true ? -weight : weight,
        ...(required ? ["required"] : []),
        ...(prompts ?? []),
      ].join(" | "),
    ),
  };
};

describe("every format", () => {
  test.each(formatNames)("%s is recognised by itself, whatever the file is called", (name) => {
    const { text, name: file } = sampleFiles[name];
    expect(importRubric(text, { name: file }).format).toBe(name);
    const { format, set } = importRubric(text, { name: "file", format: name });
    expect(format).toBe(name);
    expect(set.criteria.length).toBeGreaterThan(1);
    expect(importRubric(text, { name: "file" }).format).toBe(name);
  });

  test("comes in with its prompts, weights and categories", () => {
    expect(formatNames.map((name) => [name, short(name)])).toMatchInlineSnapshot(`
      [
        [
          "ours",
          {
            "criteria": [
              "short | Is short | Form | 2",
              "kind | Is kind | Tone | 1",
            ],
            "prompts": [],
          },
        ],
        [
          "if-eval",
          {
            "criteria": [
              "c1 | Uses no comma | punctuation | 1",
              "c2 | Has at least 30 words | length_constraints | 1",
            ],
            "prompts": [
              "1000: Write about rain without commas, in at least 30 words.",
            ],
          },
        ],
        [
          "rubric-hub",
          {
            "criteria": [
              "c1 | Names the moon | Science | 4",
              "c2 | Blames the wind | Science | -2",
            ],
            "prompts": [
              "prompt-1: Explain tides.",
            ],
          },
        ],
        [
          "info-bench",
          {
            "criteria": [
              "c1 | Is it a list? | Format | 1",
              "c2 | Does it name tea? | Content | 1",
            ],
            "prompts": [
              "ib-1: Make a list of what you need.

      tea, milk",
            ],
          },
        ],
        [
          "healthbench",
          {
            "criteria": [
              "p1-c1 | Criterion 1.0 of the reply | accuracy | 7 | hb-1",
              "p1-c2 | Criterion 1.1 of the reply | completeness | 5 | hb-1",
              "p1-c3 | Criterion 1.2 of the reply | accuracy | 10 | hb-1",
              "p1-c4 | Criterion 1.3 of the reply | completeness | -6 | hb-1",
              "p2-c1 | Criterion 2.0 of the reply | accuracy | 3 | hb-2",
              "p2-c2 | Criterion 2.1 of the reply | completeness | -2 | hb-2",
            ],
            "prompts": [
              "hb-1: My ankle hurts since day 1. What now?",
              "hb-2: My ankle hurts since day 2. What now?",
            ],
          },
        ],
        [
          "research-rubrics",
          {
            "criteria": [
              "c1 | Names both maps | Explicit | 5",
              "c2 | Invents a source | References | -3",
            ],
            "prompts": [
              "s1: Compare two maps.",
            ],
          },
        ],
        [
          "rar",
          {
            "criteria": [
              "c1 | Names an infection. | Essential | 5",
              "c2 | Suggests rest. | Optional | 1",
              "c3 | Does not say when to see a doctor. | Pitfall | -1",
            ],
            "prompts": [
              "prompt-1: What does a fever mean?",
            ],
          },
        ],
        [
          "open-rubrics",
          {
            "criteria": [
              "c1 | The reply has three lines. | Hard Rule | 1 | required",
              "c2 | The reply speaks of nature, without naming it. | Principle | 1",
            ],
            "prompts": [
              "prompt-1: Write a haiku.",
            ],
          },
        ],
        [
          "verifiers",
          {
            "criteria": [
              "polite | Is it polite? | all | 2",
              "rude | Is it rude? | all | -1",
            ],
            "prompts": [],
          },
        ],
        [
          "promptfoo",
          {
            "criteria": [
              "c1 | Contains “parcel” | all | 1",
              "c2 | Is polite | Tone | 2",
              "c3 | Blames the person | Tone | -1",
              "c4 | Not: Contains “sorry”, in any case | all | 0",
            ],
            "prompts": [
              "prompt-1: Answer this: Where is my parcel?",
            ],
          },
        ],
        [
          "csv",
          {
            "criteria": [
              "p1-c1 | Names the cause, in words | Content | 3 | prompt-1",
              "p1-c2 | Is short | Form | 1",
            ],
            "prompts": [
              "prompt-1: Why?",
              "prompt-2: How?",
            ],
          },
        ],
      ]
    `);
  });
});

describe("HealthBench", () => {
  test("scores up to a factor and a constant as the reference does: 7, 5, 10, -6 with T, F, T, T is 0.5", () => {
    const { criteria } = read(lines(healthBenchRow(1))).set;
    const met = [true, false, true, true];
    const verdicts = criteria.map(({ penalty }, i) => (met[i] === (penalty !== true) ? 1 : 0));
    const own = criteria.reduce((sum, { weight }, i) => sum + weight * (verdicts[i] ?? 0), 0);
    const penalties = criteria
      .filter(({ penalty }) => penalty === true)
      .reduce((sum, { weight }) => sum + weight, 0);
    const all = criteria.reduce((sum, { weight }) => sum + weight, 0);
    expect((own - penalties) / (all - penalties)).toBe(0.5);
  });

  test("merges what several prompts share, and says of the rest where it counts", () => {
    const shared = { criterion: "Is clear", points: 2, tags: ["axis:style"] };
    const rows = [1, 2, 3].map((n) => ({ ...healthBenchRow(n, [n]) }));
    const both = rows.map((row, i) => (i === 2 ? row : { ...row, rubrics: [...row.rubrics, shared] }));
    const { criteria } = read(lines(...both)).set;
    expect(criteria.filter(({ text }) => text === "Is clear")).toMatchObject([{ prompts: ["hb-1", "hb-2"] }]);
    const all = rows.map((row) => ({ ...row, rubrics: [...row.rubrics, shared] }));
    const everywhere = read(lines(...all)).set.criteria.filter(({ text }) => text === "Is clear");
    expect(everywhere).toHaveLength(1);
    expect(everywhere[0]).not.toHaveProperty("prompts");
  });
});

describe("odd files", () => {
  const row = healthBenchRow(1);
  const whole = read(lines(row, healthBenchRow(2))).set;

  test("BOM, CRLF, empty lines and numbers as texts read as the plain file does", () => {
    const text = `\uFEFF${JSON.stringify(healthBenchRow(1, ["7", "5.0", " 10 ", "-6"]))}\r\n\r\n${JSON.stringify(healthBenchRow(2))}\r\n`;
    expect(read(text).set).toEqual(whole);
  });

  test("a half-written last line is told with its row, and nothing is taken", () => {
    const text = lines(row, healthBenchRow(2));
    expect(fault(text.slice(0, -20))).toContain(
      "file.jsonl, row 2 (line 2): expected a whole line of JSON, got a line that breaks off at",
    );
  });

  test("every wrong field is told at once, by row and field, up to 20", () => {
    const bad = lines(
      healthBenchRow(1, ["many", 2]),
      { ...healthBenchRow(2), prompt: [] },
      { ...healthBenchRow(3), rubrics: [] },
    );
    const message = fault(bad);
    expect(message).toContain(
      `file.jsonl, row 1 (line 1), rubrics[0].points: expected a finite number, got "many"`,
    );
    expect(message).toContain("row 2 (line 2), prompt: expected");
    expect(message).toContain(
      "row 3 (line 3), rubrics: expected a number of entries of at least 1, got an empty list",
    );
    const many = fault(lines(...Array.from({ length: 30 }, (_, n) => healthBenchRow(n, ["x"]))));
    expect(many.match(/a finite number/g)).toHaveLength(20);
    expect(many).toContain("and 10 more");
  });

  test.each([
    [
      "NaN",
      `{"prompt_id":"a","prompt":"q","rubrics":[{"criterion":"c","points":NaN}]}`,
      "NaN, which is no number of JSON",
    ],
    [
      "1e999",
      `{"prompt_id":"a","prompt":"q","rubrics":[{"criterion":"c","points":1e999}]}`,
      "rubrics[0].points: expected a finite number, got Infinity",
    ],
    ["a text", lines(healthBenchRow(1, ["Infinity"])), `expected a finite number, got "Infinity"`],
  ])("a weight that is not finite is refused: %s", (_, text, words) => {
    expect(fault(text)).toContain(words);
  });

  test.each([
    [
      "zero positives",
      lines(healthBenchRow(1, [-3, -2])),
      "row 1: expected at least one criterion with positive points, got penalties alone",
    ],
    [
      "all zero",
      lines(healthBenchRow(1, [0, 0])),
      "row 1: expected at least one weight above 0, got weights of 0 alone",
    ],
    ["prompt ids", lines(row, row), `prompt ids that differ (row 1 (line 1) has the same), got "hb-1" twice`],
    [
      "too large",
      lines(healthBenchRow(1, [5000])),
      "rubrics[0], weight: expected a weight of 1000 at most, got 5000",
    ],
    [
      "a scoring field of a row",
      lines({ ...row, score_scale: 2 }, healthBenchRow(2)),
      "score_scale: expected only fields whose part in the score is known",
    ],
    [
      "any field of a criterion",
      lines({ ...row, rubrics: [{ criterion: "c", points: 1, multiplier: 3 }] }),
      `rubrics[0]: expected known fields only, got unknown "multiplier"`,
    ],
  ])("%s", (_, text, words) => {
    expect(fault(text).replace("row 1 (line 1):", "row 1:")).toContain(words);
  });

  test("a field that changes no score is told and left out", () => {
    expect(read(lines({ ...row, mood: 1 }, { ...healthBenchRow(2), mood: 2 }))).toMatchObject({
      set: whole,
      notes: [`the field "mood" is not used (2 times)`],
    });
  });

  test("an instruction's argument that its check cannot take is told by its field, a count written as a text is one", () => {
    const row = (id: string, kwargs: object) =>
      lines({ key: 1, prompt: "p", instruction_id_list: [id], kwargs: [kwargs] });
    const words = (count: unknown) =>
      row("length_constraints:number_words", { num_words: count, relation: "at least" });
    const at = "file.jsonl, row 1 (line 1), kwargs[0]";
    expect(read(words("30")).set.criteria).toMatchObject([{ check: { args: { num_words: 30 } } }]);
    expect(fault(words("many"))).toContain(`${at}, num_words: expected`);
    expect(fault(words(2.5))).toContain(`${at}, num_words: expected`);
    // a pattern, which could run for ever here
    expect(fault(row("keywords:existence", { keywords: ["sun", "(a+)+"] }))).toContain(
      `${at}, keywords[1]: expected a word or phrase without the signs * + ? { } ( ) [ ] | and backslash`,
    );
  });

  test("a table may mix its line ends, and an assertion's value that fits no check is told in words", () => {
    const rows = ["criterion,weight", "Is short,2", "Is kind,3", "Is rude,-1"];
    const mixed = `${rows.slice(0, 2).join("\r\n")}\n${rows.slice(2).join("\r")}`;
    expect(read(mixed, "t.csv").set).toEqual(read(rows.join("\n"), "t.csv").set);
    expect(fault("- type: contains\n- type: regex\n  value: '('\n", "p.yaml")).toMatch(
      /row 1, value: expected string, got nothing.*row 2, value: expected a regular expression as JavaScript reads it, got "\("/,
    );
  });

  test("duplicate ids and mixed kinds of weight are refused, wide scales told", () => {
    const twice = {
      criteria: [
        { name: "a", text: "x" },
        { name: "a", text: "y" },
      ],
    };
    expect(fault(JSON.stringify(twice), "v.json")).toContain(
      `criteria[1], id: expected ids that differ, got "a" twice`,
    );
    const mixed = {
      question: "q",
      rubric: [
        { description: "Essential Criteria: a", weight: "Essential" },
        { description: "b", weight: 3 },
      ],
    };
    expect(fault(lines(mixed))).toContain(
      "weights of one kind, all numbers or all words, got 1 numbers of 2",
    );
    expect(read(lines(healthBenchRow(1, [1, 500]))).notes).toEqual([
      "the largest weight of a prompt is more than 100 times its smallest",
    ]);
  });

  test("RaR takes the paper's weights where the file has words, and counts its rubric", () => {
    const row = {
      question: "q",
      rubric: ["Essential", "Important", "Optional", "Pitfall"].map((kind) => ({
        description: `${kind} Criteria: is ${kind}`,
        weight: kind,
      })),
    };
    const { criteria } = read(lines(row)).set;
    expect(criteria.map(({ category, weight }) => [category, weight])).toEqual([
      ["Essential", 1],
      ["Important", 0.7],
      ["Optional", 0.3],
      ["Pitfall", 0.9],
    ]);
    expect(fault(lines({ ...row, rubric_count: 5 }))).toContain(
      "rubric_count: expected 4, as many as the rubric has, got 5",
    );
  });

  test("ResearchRubrics weighs from -5 to 5", () => {
    const rubrics = (weight: number) => [
      { criterion: "a", weight: 1 },
      { criterion: "b", weight },
    ];
    for (const weight of [5.5, -5.5]) {
      expect(fault(lines({ prompt: "p", rubrics: rubrics(weight) }))).toContain(
        "rubrics[1].weight: expected a weight from -5 to 5",
      );
    }
    expect(read(lines({ prompt: "p", rubrics: rubrics(-5) })).set.criteria).toHaveLength(2);
  });

  test("InFoBench counts its labels, verifiers weighs 1 where nothing is said", () => {
    const row = { instruction: "i", decomposed_questions: ["a?", "b?"], question_label: [["Format"]] };
    expect(fault(lines(row))).toContain("question_label: expected 2 labels, one a question, got 1");
    const { criteria } = read(JSON.stringify({ criteria: [{ name: "a", text: "x" }] }), "v.json").set;
    expect(criteria).toMatchObject([{ weight: 1 }]);
  });

  test("an id that another prompt gives to other words is refused", () => {
    const table = "id,criterion,prompt\na,Is short,Why?\na,Is long,How?\n";
    expect(fault(table, "t.csv")).toContain(
      `row 2, id: expected the same criterion as the "a" before it, got another one of that id`,
    );
  });

  test("a table says which of its lines has other cells, no words, or an unknown yes", () => {
    const of = (...rows: readonly string[]) => ["criterion,weight,required", ...rows].join("\n");
    expect(fault(of("Is short,1,yes", "Is kind,2"), "t.csv")).toContain(
      "row 2: expected 3 cells, as in the first line, got 2",
    );
    expect(fault(of("Is short,1,yes", ",2,no"), "t.csv")).toContain(
      "t.csv, row 2, criterion: expected the criterion's words, got nothing.",
    );
    expect(fault(of("Is short,1,maybe"), "t.csv")).toContain("required: expected true or false");
    const { criteria } = read(of("a,1,yes", "b,1,1", "c,1,TRUE", "d,1,no", "e,1,0", "f,1,"), "t.csv").set;
    expect(criteria.map(({ required }) => required)).toEqual([true, true, true, false, false, false]);
  });

  test("a file of another kind says what there is and what came", () => {
    expect(fault(JSON.stringify({ apples: 3 }), "a.json")).toContain("HealthBench, ResearchRubrics, RaR");
    expect(fault(JSON.stringify({ apples: 3 }), "a.json")).toContain("got the fields apples");
    expect(fault("", "a.json")).toContain("expected a rubric, got an empty file");
    expect(fault(sampleFiles.rar.text, "a.jsonl", "healthbench")).toContain("row 1 (line 1), prompt");
  });

  test("a text that would take all memory as YAML, and a table of nothing, are refused for what they are", () => {
    expect(fault(`a: ${"x".repeat(10e6)}`, "a.txt")).toContain("YAML of at most 10 MB, got 10.0 MB");
    expect(fault(",,,,", "a.csv")).toContain("expected a first line that names the columns, got nothing");
  });

  test("promptfoo settings that change a score in unknown ways are refused", () => {
    const with_ = (assertion: object): string =>
      fault(JSON.stringify([{ type: "llm-rubric", value: "x" }, assertion]), "a.json");
    expect(with_({ type: "llm-rubric", value: "x", transform: "output.trim()" })).toContain(
      `row 2: expected known fields only, got unknown "transform"`,
    );
    expect(with_({ type: "llm-rubric", value: "x", threshold: 0.7 })).toContain(
      "row 2, threshold: expected no threshold",
    );
    expect(with_({ type: "contains", value: "x", weight: -1 })).toContain(
      "row 2, weight: expected a weight of at least 0, got -1",
    );
    expect(with_({ type: "python", value: "x" })).toContain(`got "python"`);
    expect(with_({ type: "regex", value: "(" })).toContain("row 2, value: expected a regular expression");
    expect(with_({ type: "equals", value: "file://x.txt" })).toContain("a file's address");
    expect(with_({ type: "contains-any", value: ["a", "file://x.txt"] })).toContain("a file's address");
    expect(with_({ type: "llm-rubric", value: "file://x.txt" })).toContain("a file's address");
    expect(with_({ type: "llm-rubric", value: "Greets {{name}}" })).toContain("template code: {{name}}");
  });

  test.each<[string, object, string]>([
    ["a filter", { value: "{{ name | upper }}" }, "value: expected the value itself"],
    ["a variable that no test has", { value: "{{ nme }}" }, "got template code: {{ nme }}"],
    ["a condition", { value: "{% if name %}a{% endif %}" }, "got template code: {% if name %}"],
    [
      "options of a test",
      { test: { options: { transform: "x" } } },
      "tests[0], options: expected no options",
    ],
    ["options of all tests", { all: { options: { provider: "x" } } }, "defaultTest, options: expected no"],
    ["a threshold of all tests", { all: { threshold: 0.5 } }, "defaultTest, threshold: expected only fields"],
    ["all tests' settings in a file", { all: "file://a.yaml" }, "defaultTest: expected object"],
    ["tests in a file", { tests: "file://a.csv" }, "tests: expected array"],
    ["a list of values", { vars: { names: ["a", "b"] } }, "vars.names: expected one value"],
    ["a variable in a file", { vars: { q: "file://a.txt" } }, "vars.q: expected the value itself"],
    ["scenarios", { more: { scenarios: [] } }, "scenarios: expected the tests themselves"],
  ])("promptfoo's own looking up is refused: %s", (_, change, message) => {
    const { value = "x", test, all, tests, vars, more } = change as Readonly<Record<string, object>>;
    const own = { vars: { name: "Bo", ...vars }, assert: [{ type: "contains", value }], ...test };
    const file = { prompts: ["{{name}}"], defaultTest: all, tests: tests ?? [own], ...more };
    expect(fault(JSON.stringify(file), "promptfooconfig.json")).toContain(message);
  });

  test("checks that a file brings along are held to what there is", () => {
    const row = (check: object): string =>
      lines({
        prompt: "p",
        rubrics: [{ criterion: "c", points: 1, tags: [`check:${JSON.stringify(check)}`] }],
      });
    expect(fault(row({ type: "nonsense" }))).toContain("criteria[0].check.type: expected one of");
    expect(fault(row({ type: "word-count", args: { min: "x" } }))).toContain(
      'criteria[0].check.args.min: expected number, got "x"',
    );
  });

  test("IFEval names an unknown instruction and arguments that do not belong to it", () => {
    const made = (ids: readonly string[], kwargs: readonly object[]): string =>
      fault(lines({ key: 1, prompt: "p", instruction_id_list: ids, kwargs }));
    expect(made(["a:b"], [{}])).toContain("instruction_id_list[0]: expected one of IFEval's 25 instructions");
    expect(made(["punctuation:no_comma"], [{ keyword: "x" }])).toContain(
      "kwargs[0].keyword: expected an argument of punctuation:no_comma, which takes none",
    );
    expect(made(["punctuation:no_comma"], [])).toContain("kwargs: expected 1 entries");
    expect(made(["keywords:existence"], [{}])).toContain(
      "kwargs[0].keywords: expected an argument of keywords:existence, got nothing",
    );
  });
});

describe("import(export(x)) = x", () => {
  const targets: readonly [ExportName, string, SetLimits][] = [
    ["ours", "x.json", { prompts: "any" }],
    ["ours-yaml", "x.yaml", { prompts: "any" }],
    ["ours-yaml", "x.yaml", { prompts: "none" }],
    ["healthbench", "x.jsonl", { prompts: "any" }],
    ["promptfoo", "x.yaml", { prompts: "single" }],
    ["promptfoo", "x.yaml", { prompts: "none" }],
    ["verifiers", "x.json", { prompts: "none", bare: true }],
  ];
  test.each(targets)("%s (%s, %o)", (target, name, limits) => {
    for (let index = 0; index < 60; index++) {
      const set = randomSet(createRng(11, target, index), limits);
      const titled = target === "healthbench" ? { ...set, title: "x" } : set;
      expect(importRubric(exportRubric(titled, target), { name }).set).toEqual(titled);
    }
  });

  test("what a form cannot hold is refused with every reason", () => {
    const set = randomSet(createRng(3, "refused"), { prompts: "any" });
    const own = set.criteria.map((criterion) => ({ ...criterion, category: "Tone", required: true }));
    const refused = { ...set, criteria: own };
    expect(() => exportRubric(refused, "verifiers")).toThrow(/has prompts.*has categories.*required/);
    expect(() => exportRubric({ ...set, prompts: [] }, "healthbench")).toThrow(/has no prompts/);
  });
});

test("promptfoo's types become checks, with what a test's variables say", () => {
  const { set } = importRubric(
    JSON.stringify({
      prompts: ["Write to {{name}}."],
      defaultTest: { vars: { by: "me", name: "?" }, assert: [{ type: "contains", value: "{{name}}" }] },
      tests: [
        { vars: { name: "Ada" }, assert: [{ type: "not-icontains-any", value: 'sorry, "a, b"' }] },
        {
          vars: { name: "Bo" },
          assert: [
            { type: "word-count", value: "12" },
            { type: "similar", value: "Hello Bo" },
          ],
        },
      ],
    }),
    { name: "promptfooconfig.json" },
  );
  expect(set.criteria.map(({ check }) => check)).toEqual([
    { type: "promptfoo:contains", args: { value: "Ada" }, negate: false },
    { type: "promptfoo:icontains-any", args: { value: ["sorry", "a, b"] }, negate: true },
    { type: "promptfoo:contains", args: { value: "Bo" }, negate: false },
    { type: "promptfoo:word-count", args: { min: 12, max: 12 }, negate: false },
    { type: "similar", args: { value: ["Hello Bo"], by: "all-MiniLM-L6-v2" }, negate: false },
  ]);
  expect(set.prompts.map(({ fields }) => fields)).toEqual([
    { by: "me", name: "Ada" },
    { by: "me", name: "Bo" },
  ]);
});

test("a criterion with {{braces}} in its own words comes back through promptfoo as it was", () => {
  const prompts = [{ id: "p", messages: [{ role: "user" as const, content: "Hi" }], fields: {} }];
  const text = "Says {{prompt}} and {% this %}";
  const { criteria } = importRubric("criterion,weight\nx,1", { name: "a.csv" }).set;
  const words = criteria.map((criterion) => ({ ...criterion, text }));
  const saved = exportRubric({ title: "t", prompts, criteria: words }, "promptfoo");
  expect(importRubric(saved, { name: "a.yaml" }).set.criteria).toEqual(words);
  // and promptfoo itself, whose template language reads every value, is given it word for word
  const file = parse(saved) as {
    readonly tests: readonly { readonly assert: readonly { value: string }[] }[];
  };
  expect(file.tests[0]?.assert[0]?.value).toBe(`{% raw %}${text}{% endraw %}`);
});

test("a check that promptfoo has is saved as its assertion, any other in words; all come back", () => {
  const check = (type: string, args: Record<string, unknown>, negate = false) => ({ type, args, negate });
  const checks = [
    check("promptfoo:contains-all", { value: ["a", "b"] }, true),
    check("promptfoo:equals", { value: '{"a":1}', as: "JSON" }),
    check("promptfoo:is-json", { schema: { type: "object" } }),
    check("promptfoo:word-count", { min: 3 }),
    check("promptfoo:rouge-n", { value: ["x y"], threshold: 0.5 }),
    check("promptfoo:rouge-n", { value: ["x", "y"] }),
    check("promptfoo:bleu", { value: ["x"], graded: true }),
    check("contains-any", { phrases: ["a"] }),
  ];
  const criteria = checks.map((each, i) => ({
    ...{ id: `c${String(i)}`, text: "words", category: "all", weight: 1, required: false, veto: false },
    check: each,
  }));
  const text = exportRubric({ title: "t", prompts: [], criteria }, "promptfoo");
  const { assert } = parse(text) as { assert: Record<string, unknown>[] };
  expect(assert.map(({ type, value, threshold }) => [type, value, threshold])).toEqual([
    ["not-contains-all", ["a", "b"], undefined],
    ["equals", { a: 1 }, undefined],
    ["is-json", { type: "object" }, undefined],
    ["word-count", { min: 3 }, undefined],
    ["rouge-n", "x y", 0.5],
    ["llm-rubric", "words", undefined],
    ["llm-rubric", "words", undefined],
    ["llm-rubric", "words", undefined],
  ]);
  expect(importRubric(text, { name: "x.yaml" }).set.criteria).toEqual(criteria);
});
