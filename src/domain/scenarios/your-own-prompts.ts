/** Scenario "your-own-prompts": what a person types in; until then these examples. Its rubric asks for nothing that a prompt may lack. */
import type { ScenarioPrompt } from "../run/spec.ts";
import { ownPrompts } from "./own-prompts.ts";
import type { Scenario } from "./scenario.ts";
import { heavySetUp, mildSetUp } from "./set-ups.ts";
import type { CriterionPlan } from "./set-ups.ts";
import { noBlame, noEmoji, noFlattery, noHedging, noShouting, wellFormed } from "./tone-criteria.ts";

/** Shown in the prompt box to begin with. */
export const exampleLines: readonly string[] = [
  "This is Nadia. My kettle leaks, order #48213. What now?",
  "Hi, Omar here: the printer (order #17065) does not start. Please help.",
  "I am Sofia and my radio keeps beeping. Order #90231.",
  "My heater smells of smoke. The order is #25710. Regards, Hugo",
  "Hello, I am Priya. The drone from order #63817 has a crack.",
  "Order #31904: my lamp arrived broken. Thanks, Felix",
  "This is Yara. My toaster gets too hot, order #57042. What now?",
  "I am Tomas and my scooter has no power. Order #84650.",
];
const heldOutLines: readonly string[] = [
  "This is Clara. My blender is very loud, order #72946. What now?",
  "Hi, Ravi here: the camera (order #39158) shows an error. Please help.",
  "My iron turns off alone. The order is #60487. Regards, Greta",
  "I am Kofi and my speaker stopped working. Order #15873.",
];

const criteria: readonly CriterionPlan[] = [
  {
    id: "names-person",
    text: "Addresses the person by name",
    category: "Addressing",
    check: { type: "contains-prompt-field", args: { field: "name" } },
    mild: 2,
  },
  {
    id: "names-no-other",
    text: "Names nobody else",
    category: "Addressing",
    check: { type: "names-no-other", args: { field: "name" } },
    mild: 1,
  },
  noBlame,
  {
    id: "offers-remedy",
    text: "Offers a repair, a new one or the money back",
    category: "Help",
    check: {
      type: "contains-any",
      args: { phrases: ["send a new", "get a new", "we will repair", "refund", "money back"] },
    },
    mild: 3,
  },
  {
    id: "asks-back",
    text: "Asks whether that helps",
    category: "Help",
    check: { type: "matches-pattern", args: { pattern: "question" } },
    mild: 1,
  },
  {
    id: "offers-voucher",
    text: "Adds a voucher",
    category: "Help",
    check: { type: "contains-any", args: { phrases: ["voucher"] } },
    mild: 1,
  },
  {
    id: "gives-phone",
    text: "Gives a phone number to call back",
    category: "Help",
    check: { type: "matches-pattern", args: { pattern: "phone number" } },
    mild: 1,
    heavy: true,
  },
  {
    id: "warns",
    text: "Says how to stay safe until then",
    category: "Depth",
    check: {
      type: "contains-any",
      args: { phrases: ["unplug it", "do not use it", "away from children", "switch it off"] },
    },
    mild: 2,
  },
  {
    id: "long-enough",
    text: "Takes 25 to 60 words",
    category: "Depth",
    check: { type: "word-count", args: { min: 25, max: 60 } },
    mild: 2,
  },
  {
    id: "lists-steps",
    text: "Lists the steps, numbered",
    category: "Depth",
    check: { type: "list-form", args: { minItems: 3 } },
    mild: 1,
  },
  {
    id: "cites-warranty",
    text: "Cites the clause of the warranty",
    category: "Depth",
    check: { type: "contains-any", args: { phrases: ["clause"] } },
    mild: 1,
    heavy: true,
  },
  noHedging,
  noFlattery,
  {
    id: "signs-off",
    text: "Closes with a team or a desk",
    category: "Tone",
    check: { type: "ends-with-any", args: { phrases: ["team", "desk"] } },
    mild: 1,
  },
  noShouting,
  noEmoji,
  wellFormed,
];

const TITLE = "What you ask of a reply";

function withIds(prefix: string, lines: readonly string[]): ScenarioPrompt[] {
  return ownPrompts(lines.join("\n")).map((prompt, i) => ({ ...prompt, id: `${prefix}-${i + 1}` }));
}

export const yourOwnPrompts: Scenario = {
  id: "your-own-prompts",
  title: "Your own prompts",
  teaches:
    "Whatever you type: messages to a support desk work best, with a name and a product from the lists.",
  trainPrompts: withIds("train", exampleLines),
  heldOutPrompts: withIds("held-out", heldOutLines),
  setUps: [mildSetUp(TITLE, criteria), heavySetUp(TITLE, criteria)],
};
