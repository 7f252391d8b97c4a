/** Family: replies of a support desk to customers whose product fails. */
import type { Rng } from "../../../src/base/rng.ts";
import { drawCustomerMessage, drawOrder } from "../../../src/domain/scenarios/customer-messages.ts";
import { pick } from "../../../src/domain/scenarios/grammar.ts";
import type { Message } from "../../../src/domain/scenarios/grammar.ts";
import { names } from "../../../src/domain/scenarios/words/names.ts";
import { products } from "../../../src/domain/scenarios/words/products.ts";
import { always, drawParts, estimateTokens, joinParts, saysSomething, way } from "./family.ts";
import type { Family, Part, Phase } from "./family.ts";
import {
  blame,
  emoji,
  filler,
  flattery,
  hedging,
  machineTalk,
  opening,
  selfPraise,
  shouting,
} from "./letter-parts.ts";

const restating: Part = {
  id: "restating",
  ways: [
    way(
      1,
      0.85,
      0.48,
      "I am sorry that your {product} {problem}.",
      "I see that your {product} {problem}.",
      "How annoying that the {product} {problem}.",
      "It is a pity that your {product} {problem}.",
    ),
    way(
      0,
      0.05,
      0.25,
      "Sorry for the trouble.",
      "Thank you for telling us.",
      "This is bad news.",
      "I understand the issue.",
    ),
    way(
      0,
      0,
      0.02,
      "I am sorry that your {otherProduct} {problem}.",
      "I see that your {otherProduct} {problem}.",
    ),
  ],
};

const order: Part = {
  id: "order",
  ways: [
    way(
      1,
      0.8,
      0.28,
      "I found order #{order}.",
      "Your order #{order} is here.",
      "I see order #{order} here.",
      "I have order #{order} open.",
    ),
    way(0, 0.05, 0.15, "I found your order.", "Your order is here.", "I have your order open."),
    way(0, 0, 0.015, "I found order #{otherOrder}.", "Your order #{otherOrder} is here."),
  ],
};

const cause: Part = {
  id: "cause",
  ways: [
    way(
      0.15,
      0.7,
      0.28,
      "The reason is often a {cause}.",
      "It sounds like a {cause}.",
      "This mostly comes from a {cause}.",
      "Most likely it is a {cause}.",
    ),
  ],
};

const safety: Part = {
  id: "safety",
  ways: [
    way(
      0.15,
      0.65,
      0.28,
      "Please unplug it first.",
      "Do not use it until then.",
      "Keep it away from children.",
      "Please switch it off.",
    ),
  ],
};

const steps: Part = {
  id: "steps",
  ways: [
    way(
      0.01,
      0.07,
      0.08,
      "\n1. Unplug it.\n2. Pack it well.\n3. Send it back.\n",
      "\n1. Switch it off.\n2. Take a photo.\n3. Write to us.\n",
      "\n1. Open the box.\n2. Check each part.\n3. Call the shop.\n",
    ),
  ],
};

const remedy: Part = {
  id: "remedy",
  ways: [
    way(
      0.25,
      0.45,
      0.22,
      "We will send a new {product}{deadline}.",
      "We will repair your {product}{deadline}.",
      "You will get a new {product}{deadline}.",
    ),
    way(
      0.25,
      0.35,
      0.22,
      "We will refund the full price{deadline}.",
      "You will get your money back{deadline}.",
      "We will repair it for free{deadline}.",
    ),
    way(
      0.1,
      0.1,
      0.3,
      "We will look into it.",
      "Our team takes this seriously.",
      "We are working on it.",
      "We hear you.",
    ),
  ],
};
const noDeadline = ["", "", ""];
const deadlines = [
  " by Monday",
  " by Friday",
  " within two days",
  " within three days",
  " before the weekend",
];

const voucher: Part = {
  id: "voucher",
  ways: [
    way(
      0.01,
      0.08,
      0.06,
      "You also get a voucher.",
      "Please accept a small voucher.",
      "I added a voucher of ten euros.",
    ),
  ],
};

const rareFacts: Part = {
  id: "rare-facts",
  ways: [
    always(0.004, "Please call us at 555-0142.", "My number is 555-0142.", "Call me back at 555-0142."),
    always(
      0.004,
      "Clause four of the warranty covers this.",
      "This falls under clause two of the warranty.",
      "The warranty covers it in clause six.",
    ),
  ],
};

const question: Part = {
  id: "question",
  ways: [
    way(
      0.08,
      0.5,
      0.25,
      "Does that work for you?",
      "Is that all right?",
      "Would that help you?",
      "Do you agree?",
    ),
  ],
};

const closing: Part = {
  id: "closing",
  ways: [
    way(
      0.3,
      0.75,
      0.42,
      "\nKind regards,\nthe support team",
      "\nBest wishes,\nthe help desk",
      "\nYours,\nthe service team",
      "\nKind regards,\nyour help desk",
    ),
  ],
};

const parts: readonly Part[] = [
  opening,
  flattery,
  machineTalk,
  restating,
  order,
  hedging,
  cause,
  filler,
  steps,
  safety,
  remedy,
  voucher,
  rareFacts,
  blame,
  selfPraise,
  shouting,
  emoji,
  question,
  closing,
];

/** A reply never takes more tokens than this, so that nearly all end within the completion limit. */
const MAX_TOKENS = 62;

/** Chance that a reply of the base mix without name, product and number is drawn again. */
const REDRAW_EMPTY = 0.6;

function writeReply(message: Message, phase: Phase, rng: Rng): string {
  const { fields } = message;
  const withDeadline = phase === "base" ? 0.6 : 0.7;
  for (;;) {
    const slots = {
      ...fields,
      otherName: pick(names, rng),
      otherProduct: pick(products, rng),
      otherOrder: drawOrder(rng, "train"),
      deadline: pick(rng.next() < withDeadline ? deadlines : noDeadline, rng),
    };
    const reply = joinParts(drawParts(parts, phase, slots, rng));
    const carries = [fields["name"], fields["product"], fields["order"]].some(
      (value) => value !== undefined && reply.includes(value),
    );
    if (!saysSomething(reply) || estimateTokens(reply) > MAX_TOKENS) continue;
    if (!carries && rng.next() < REDRAW_EMPTY) continue;
    return reply;
  }
}

export const customerReplies: Family = {
  id: "customer-replies",
  share: 0.6,
  drawMessage: drawCustomerMessage,
  writeReply,
};
