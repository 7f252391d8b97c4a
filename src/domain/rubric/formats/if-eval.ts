/**
 * IFEval (arXiv 2311.07911): prompts whose instructions can be verified by a program, by id with arguments at the same place
 * (nulls dropped). Each is a criterion of weight 1; its category is the id's family.
 */
import { z } from "zod";
import { decimalOf, idSchema, textSchema, type DraftCriterion } from "./draft.ts";
import { rowFormat, type Values } from "./format.ts";
import { knownCheck, tellMisfits } from "./known-check.ts";
import { below, type Problems } from "./problems.ts";

/** Each instruction's arguments, and how it is said in words. */
const INSTRUCTIONS: Readonly<Record<string, readonly [args: readonly string[], words: string]>> = {
  "keywords:existence": [["keywords"], "Uses the words {keywords}"],
  "keywords:frequency": [
    ["keyword", "frequency", "relation"],
    "Uses the word {keyword} {relation} {frequency} times",
  ],
  "keywords:forbidden_words": [["forbidden_words"], "Does not use the words {forbidden_words}"],
  "keywords:letter_frequency": [
    ["letter", "let_frequency", "let_relation"],
    "Uses the letter {letter} {let_relation} {let_frequency} times",
  ],
  "language:response_language": [["language"], "Is written in the language {language}"],
  "length_constraints:number_sentences": [
    ["num_sentences", "relation"],
    "Has {relation} {num_sentences} sentences",
  ],
  "length_constraints:number_words": [["num_words", "relation"], "Has {relation} {num_words} words"],
  "length_constraints:number_paragraphs": [
    ["num_paragraphs"],
    "Has {num_paragraphs} paragraphs, divided by ***",
  ],
  "length_constraints:nth_paragraph_first_word": [
    ["num_paragraphs", "nth_paragraph", "first_word"],
    "Has {num_paragraphs} paragraphs, and paragraph {nth_paragraph} begins with {first_word}",
  ],
  "detectable_content:number_placeholders": [
    ["num_placeholders"],
    "Has at least {num_placeholders} placeholders in square brackets",
  ],
  "detectable_content:postscript": [
    ["postscript_marker"],
    "Ends with a postscript that begins with {postscript_marker}",
  ],
  "detectable_format:number_bullet_lists": [["num_bullets"], "Has exactly {num_bullets} bullet points"],
  "detectable_format:number_highlighted_sections": [
    ["num_highlights"],
    "Highlights at least {num_highlights} sections with *asterisks*",
  ],
  "detectable_format:multiple_sections": [
    ["section_spliter", "num_sections"],
    "Has {num_sections} sections, each beginning with {section_spliter} and its number",
  ],
  "detectable_format:title": [[], "Has a title in <<double angular brackets>>"],
  "detectable_format:json_format": [[], "Is JSON as a whole"],
  "detectable_format:constrained_response": [
    [],
    "Is one of: My answer is yes. My answer is no. My answer is maybe.",
  ],
  "combination:two_responses": [[], "Gives two different responses, divided by ******"],
  "combination:repeat_prompt": [["prompt_to_repeat"], "Repeats the request word for word, then answers it"],
  "startend:end_checker": [["end_phrase"], "Ends with {end_phrase}"],
  "startend:quotation": [[], "Is wrapped in double quotation marks"],
  "change_case:english_capital": [[], "Is in English and in capital letters alone"],
  "change_case:english_lowercase": [[], "Is in English and in lowercase letters alone"],
  "change_case:capital_word_frequency": [
    ["capital_frequency", "capital_relation"],
    "Has {capital_relation} {capital_frequency} words in capitals",
  ],
  "punctuation:no_comma": [[], "Uses no comma"],
};

const rowSchema = z.looseObject({
  key: idSchema.optional(),
  prompt: textSchema,
  instruction_id_list: z.array(z.string()).min(1),
  kwargs: z.array(z.record(z.string(), z.unknown()).nullable()),
});

export const ifEval = rowFormat({
  title: "IFEval",
  marks: (row) => "instruction_id_list" in row,
  row: rowSchema,
  known: ["key", "prompt", "instruction_id_list", "kwargs"],
  draft: (row, where, problems) => {
    const ids = row.instruction_id_list;
    if (row.kwargs.length !== ids.length) {
      problems.add(
        below(where, "kwargs"),
        `${ids.length} entries, one an instruction`,
        String(row.kwargs.length),
      );
      return null;
    }
    return {
      where,
      promptId: row.key ?? null,
      messages: [{ role: "user", content: row.prompt }],
      criteria: ids.flatMap((id, i) => {
        const drafted = draftOf(id, row.kwargs[i] ?? {}, { where, index: i, problems });
        return drafted === null ? [] : [drafted];
      }),
    };
  },
});

interface Place {
  readonly where: string;
  readonly index: number;
  readonly problems: Problems;
}

function draftOf(id: string, given: Values, { where, index, problems }: Place): DraftCriterion | null {
  const known = Object.hasOwn(INSTRUCTIONS, id) ? INSTRUCTIONS[id] : undefined;
  const at = below(where, `instruction_id_list[${index}]`);
  if (known === undefined) {
    problems.add(
      at,
      `one of IFEval's 25 instructions, such as ${Object.keys(INSTRUCTIONS).slice(0, 3).join(", ")}`,
      `"${id}"`,
    );
    return null;
  }
  const [names, words] = known;
  const args = argumentsOf(given);
  for (const name of Object.keys(args)) {
    if (!names.includes(name))
      problems.add(
        below(where, `kwargs[${index}].${name}`),
        `an argument of ${id}${names.length > 0 ? ` (${names.join(", ")})` : ", which takes none"}`,
        "another",
      );
  }
  for (const name of names) {
    if (!(name in args))
      problems.add(below(where, `kwargs[${index}].${name}`), `an argument of ${id}`, "nothing");
  }
  const taken = Object.fromEntries(names.flatMap((name) => (name in args ? [[name, args[name]]] : [])));
  if (names.every((name) => name in args))
    tellMisfits(`ifeval:${id}`, taken, below(where, `kwargs[${index}]`), problems);
  return {
    where: at,
    text: say(words, args),
    points: 1,
    category: id.split(":", 1)[0],
    check: knownCheck(`ifeval:${id}`, args),
  };
}

/** Those that hold a count; a text that is a number counts as it. */
const COUNTS = /^(num|nth)_|frequency$/;

function argumentsOf(given: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === null ? [] : [[name, COUNTS.test(name) ? decimalOf(value) : value]],
    ),
  );
}

function say(words: string, args: Values): string {
  return words.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = args[name];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.map((each) => sayOne(each, name.endsWith("relation"))).join(", ");
  });
}

function sayOne(value: unknown, bare: boolean): string {
  if (typeof value !== "string") return String(value);
  return bare ? value : `“${value}”`;
}
