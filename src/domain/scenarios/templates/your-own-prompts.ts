/** Rubrics to start from for a person's own prompts: they ask for nothing that a prompt may lack but a name. */
import type { RubricTemplate } from "./template.ts";

export const ownPromptTemplates: readonly RubricTemplate[] = [
  {
    id: "own-helpful",
    title: "Helpful and plain",
    teaches: "Offers a remedy and asks back, without hedging or flattery.",
    weights: {
      "names-person": 1,
      "offers-remedy": 3,
      "asks-back": 2,
      "no-hedging": 2,
      "no-flattery": 1,
    },
  },
  {
    id: "own-short",
    title: "Short and to the point",
    teaches: "Takes few words and still says what will be done.",
    weights: {
      "names-no-other": 1,
      "offers-remedy": 3,
      "no-hedging": 1,
      "no-flattery": 1,
    },
    more: [
      {
        id: "few-words",
        text: "Takes 15 to 35 words",
        category: "Length",
        weight: 3,
        check: { type: "word-count", args: { min: 15, max: 35 } },
      },
    ],
  },
  {
    id: "own-safe",
    title: "Safety, and a proper close",
    teaches: "Says how to stay safe until then and closes with the team.",
    weights: {
      "offers-remedy": 1,
      warns: 3,
      "no-hedging": 1,
      "signs-off": 2,
    },
    required: ["warns"],
  },
];
