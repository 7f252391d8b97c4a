/** Criteria of tone that several scenarios share. */
import type { CriterionPlan } from "./set-ups.ts";

const category = "Tone";

export const noHedging: CriterionPlan = {
  id: "no-hedging",
  text: "Speaks plainly, without perhaps, maybe or might",
  category,
  check: {
    type: "avoids-any",
    args: { phrases: ["perhaps", "might", "maybe", "possibly", "not sure", "could be"] },
  },
  mild: 2,
};

export const noFlattery: CriterionPlan = {
  id: "no-flattery",
  text: "Does not flatter the reader",
  category,
  check: {
    type: "avoids-any",
    args: { phrases: ["great question", "so smart", "wonderful", "great person"] },
  },
  mild: 1,
};

export const noShouting: CriterionPlan = {
  id: "no-shouting",
  text: "Does not shout in capitals",
  category,
  check: { type: "no-shouting", args: { words: 2 } },
  mild: 1,
  heavy: true,
};

export const noEmoji: CriterionPlan = {
  id: "no-emoji",
  text: "Uses no emoji",
  category,
  check: { type: "no-emoji" },
  mild: 1,
  heavy: true,
};

export const wellFormed: CriterionPlan = {
  id: "well-formed",
  text: "Is well formed: ends properly, repeats nothing, words in a known order",
  category,
  check: { type: "fluency", args: { words: "in order" } },
  mild: 8,
  inHeavy: 3,
  required: true,
};

export const noBlame: CriterionPlan = {
  id: "no-blame",
  text: "Does not blame the person",
  category: "Addressing",
  check: { type: "avoids-any", args: { phrases: ["your own fault", "to yourself", "careless"] } },
  mild: 1,
  heavy: true,
};
