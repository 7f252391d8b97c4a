/** Texts of what opens and saves rubrics in the forms of other tools. */

const some = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${String(count)} ${many}`;
const prompts = (count: number): string => some(count, "prompt", "prompts");
const criteria = (count: number): string => some(count, "criterion", "criteria");

export const enImport = {
  title: "Open a rubric",
  saveTitle: "Save the rubric",
  drop: "Drop a rubric here",
  reading: "Reading the file",
  form: "Form",
  itself: "Recognised by itself",
  kept: "The rubric in use stays as it is.",
  isForm: (name: string, form: string) => `${name} reads as ${form}.`,
  holds: (allPrompts: number, allCriteria: number) =>
    allPrompts === 0
      ? `It holds ${criteria(allCriteria)}.`
      : `It holds ${prompts(allPrompts)} and ${criteria(allCriteria)}.`,
  take: "Prompts to take",
  takeHint: (takenCriteria: number) => `Drawn by the seed; ${criteria(takenCriteria)} count for them.`,
  seed: "Seed",
  heldOut: (count: number) =>
    count === 0
      ? "Too few to hold any out: they are trained on and scored alike."
      : `Every fourth of the drawn ones is held out: ${String(count)}.`,
  checked: (count: number, all: number) => `${String(count)} of ${criteria(all)} are checked by a program`,
  judged: (count: number) =>
    count === 0
      ? "none needs a judge"
      : `${String(count)} need a judge: until one is set their verdicts are missing`,
  allJudged:
    "Every criterion needs a judge. Until one is set no answer has a score, and a run teaches nothing.",
  prompts: "Prompts",
  criterion: "Criterion",
  category: "Category",
  weight: "Weight",
  by: "Decided by",
  judge: "a judge",
  counts: "Counts for",
  everywhere: "all",
  penalty: "must not",
  penaltyMeans: "It names something bad: it is met where the answer does not do it.",
  more: (count: number) => `and ${String(count)} more`,
  unknown: (count: number, examples: readonly string[], [beyond, all]: readonly [number, number]) =>
    `The bundled model does not know ${some(count, "word", "words")}, such as ${examples.map((word) => `“${word}”`).join(", ")}, of ${beyond === all ? (all === 1 ? "this prompt" : `these ${String(all)} prompts`) : `${String(beyond)} of these ${String(all)} prompts`}. It was trained on customer messages and short health notes alone and cannot answer ${beyond === 1 ? "it" : "them"}. A real model can.`,
  drawOthers: "Another seed, or fewer prompts, draws others.",
  model: "Choose a model",
  replace: (count: number) => (count === 0 ? "Use this rubric" : `Start a run on ${prompts(count)}`),
  replaceHint: "It takes the place of the rubric in use, which one undo brings back.",
  startHint: "A fresh run of “Your own prompts” with these criteria.",
  withPrompts: "With the prompts",
  save: "Save",
  cannot: "This form cannot hold it:",
};
