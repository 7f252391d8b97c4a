/** Scenario "customer-reply": a support desk's answer. The opening scenario: flat and learning criteria side by side. */
import { drawPromptSets } from "./bundled-prompts.ts";
import { drawCustomerMessage } from "./customer-messages.ts";
import type { Scenario } from "./scenario.ts";
import { heavySetUp, mildSetUp } from "./set-ups.ts";
import type { CriterionPlan } from "./set-ups.ts";
import { noBlame, noEmoji, noFlattery, noHedging, noShouting, wellFormed } from "./tone-criteria.ts";

const criteria: readonly CriterionPlan[] = [
  {
    id: "names-person",
    text: "Addresses the person by name",
    category: "Addressing",
    check: { type: "contains-prompt-field", args: { field: "name" } },
    mild: 2,
    required: true,
  },
  {
    id: "names-product",
    text: "Names the product",
    category: "Addressing",
    check: { type: "contains-prompt-field", args: { field: "product" } },
    mild: 2,
  },
  {
    id: "names-order",
    text: "Gives the order number",
    category: "Addressing",
    check: { type: "contains-prompt-field", args: { field: "order" } },
    mild: 2,
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
    required: true,
  },
  {
    id: "gives-date",
    text: "Says by when",
    category: "Help",
    check: {
      type: "contains-any",
      args: {
        phrases: ["by Monday", "by Friday", "within two days", "within three days", "before the weekend"],
      },
    },
    mild: 2,
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
    id: "explains-cause",
    text: "Explains the likely cause",
    category: "Depth",
    check: { type: "contains-prompt-field", args: { field: "cause" } },
    mild: 2,
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
    text: "Closes with regards of the team",
    category: "Tone",
    check: {
      type: "ends-with-any",
      args: { phrases: ["the support team", "the help desk", "the service team", "your help desk"] },
    },
    mild: 1,
  },
  noShouting,
  noEmoji,
  wellFormed,
];

const TITLE = "A good reply to a customer";

export const customerReply: Scenario = {
  id: "customer-reply",
  title: "Customer reply",
  teaches: "Answer by name, say what happens and by when, and explain, in a plain tone.",
  ...drawPromptSets("customer-reply", drawCustomerMessage),
  setUps: [heavySetUp(TITLE, criteria), mildSetUp(TITLE, criteria)],
};
