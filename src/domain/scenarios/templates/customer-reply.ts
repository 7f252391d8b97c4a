/** Rubrics to start from for a support desk's answer. */
import type { RubricTemplate } from "./template.ts";

export const customerReplyTemplates: readonly RubricTemplate[] = [
  {
    id: "customer-remedy",
    title: "What happens, and by when",
    teaches: "Says what will be done about it and by when, in plain words.",
    weights: {
      "names-person": 1,
      "names-product": 2,
      "offers-remedy": 3,
      "gives-date": 3,
      "explains-cause": 1,
      "no-hedging": 2,
    },
    required: ["offers-remedy"],
  },
  {
    id: "customer-safe",
    title: "Cause and safety first",
    teaches: "Explains the likely cause and how to stay safe until it is mended.",
    weights: {
      "names-product": 2,
      "no-blame": 1,
      "explains-cause": 3,
      warns: 3,
      "offers-remedy": 1,
      "no-hedging": 1,
    },
    required: ["warns"],
  },
  {
    id: "customer-short",
    title: "Short, plain and kind",
    teaches: "Takes few words, flatters nobody, and still offers help and closes properly.",
    weights: {
      "names-person": 2,
      "offers-remedy": 2,
      "no-hedging": 2,
      "no-flattery": 2,
      "signs-off": 1,
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
];
