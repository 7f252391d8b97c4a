/** Rubrics to start from for a first-aid note. */
import type { RubricTemplate } from "./template.ts";

export const healthNoteTemplates: readonly RubricTemplate[] = [
  {
    id: "health-steps",
    title: "The right two steps",
    teaches: "Gives the two steps for this injury and says what not to do.",
    weights: {
      "names-injury": 1,
      "first-step": 3,
      "second-step": 3,
      "says-what-not": 2,
      "no-hedging": 1,
    },
    required: ["first-step"],
  },
  {
    id: "health-doctor",
    title: "When to see a doctor",
    teaches: "Says at which sign a doctor is needed and how long it takes to heal.",
    weights: {
      "names-person": 1,
      "first-step": 1,
      "asks-allergy": 1,
      "says-when-doctor": 3,
      "says-how-long": 3,
      "no-disclaimer": 2,
    },
    required: ["says-when-doctor"],
  },
  {
    id: "health-short",
    title: "Short and kind",
    teaches: "Takes few words, hides behind no disclaimer, and closes with good wishes.",
    weights: {
      "names-person": 2,
      "first-step": 3,
      "no-disclaimer": 2,
      "closes-kindly": 2,
    },
    more: [
      {
        id: "few-words",
        text: "Takes 15 to 40 words",
        category: "Length",
        weight: 3,
        check: { type: "word-count", args: { min: 15, max: 40 } },
      },
    ],
  },
];
