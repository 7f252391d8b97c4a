/** Scenario "health-note": a short first-aid note to a person with a small injury. */
import { drawPromptSets } from "./bundled-prompts.ts";
import { drawHealthMessage } from "./health-messages.ts";
import type { Scenario } from "./scenario.ts";
import { heavySetUp, mildSetUp } from "./set-ups.ts";
import type { CriterionPlan } from "./set-ups.ts";
import { noBlame, noEmoji, noHedging, noShouting, wellFormed } from "./tone-criteria.ts";

const criteria: readonly CriterionPlan[] = [
  {
    id: "names-person",
    text: "Addresses the person by name",
    category: "Addressing",
    check: { type: "contains-prompt-field", args: { field: "name" } },
    mild: 2,
  },
  {
    id: "names-injury",
    text: "Names the injury",
    category: "Addressing",
    check: { type: "contains-prompt-field", args: { field: "injury" } },
    mild: 2,
  },
  noBlame,
  {
    id: "first-step",
    text: "Gives the right first step for this injury",
    category: "Help",
    check: { type: "contains-prompt-field", args: { field: "first" } },
    mild: 3,
    required: true,
  },
  {
    id: "second-step",
    text: "Gives the right second step for this injury",
    category: "Help",
    check: { type: "contains-prompt-field", args: { field: "second" } },
    mild: 2,
  },
  {
    id: "asks-allergy",
    text: "Asks about allergies",
    category: "Help",
    check: { type: "contains-any", args: { phrases: ["allergy"] } },
    mild: 1,
  },
  {
    id: "gives-emergency",
    text: "Gives the emergency number",
    category: "Help",
    check: { type: "contains-any", args: { phrases: ["112"] } },
    mild: 1,
    heavy: true,
  },
  {
    id: "says-when-doctor",
    text: "Says at which sign to see a doctor",
    category: "Depth",
    check: { type: "contains-prompt-field", args: { field: "sign" } },
    mild: 3,
    required: true,
  },
  {
    id: "says-what-not",
    text: "Says what not to do",
    category: "Depth",
    check: { type: "contains-prompt-field", args: { field: "avoid" } },
    mild: 2,
  },
  {
    id: "says-how-long",
    text: "Says how long it takes to heal",
    category: "Depth",
    check: {
      type: "contains-any",
      args: { phrases: ["within two days", "within three days", "within five days", "within a week"] },
    },
    mild: 2,
  },
  {
    id: "lists-steps",
    text: "Lists steps, numbered",
    category: "Depth",
    check: { type: "list-form", args: { minItems: 3 } },
    mild: 1,
  },
  {
    id: "mentions-tetanus",
    text: "Mentions the tetanus shot",
    category: "Depth",
    check: { type: "contains-any", args: { phrases: ["tetanus"] } },
    mild: 1,
    heavy: true,
  },
  noHedging,
  {
    id: "no-disclaimer",
    text: "Does not hide behind a disclaimer",
    category: "Tone",
    check: {
      type: "avoids-any",
      args: { phrases: ["not a doctor", "general advice", "cannot judge", "as an AI"] },
    },
    mild: 1,
  },
  {
    id: "closes-kindly",
    text: "Closes with good wishes",
    category: "Tone",
    check: { type: "contains-any", args: { phrases: ["get well soon", "take care", "all the best"] } },
    mild: 1,
  },
  noShouting,
  noEmoji,
  wellFormed,
];

const TITLE = "A good first-aid note";

export const healthNote: Scenario = {
  id: "health-note",
  title: "First-aid note",
  teaches: "Give the right two steps, say when a doctor is needed and what not to do, without hedging.",
  ...drawPromptSets("health-note", drawHealthMessage),
  setUps: [mildSetUp(TITLE, criteria), heavySetUp(TITLE, criteria)],
};
