/** Family: short first-aid style notes to people with a small injury. */
import type { Rng } from "../../../src/base/rng.ts";
import { defined } from "../../../src/base/assert.ts";
import { pick } from "../../../src/domain/scenarios/grammar.ts";
import type { Message } from "../../../src/domain/scenarios/grammar.ts";
import { drawHealthMessage } from "../../../src/domain/scenarios/health-messages.ts";
import { bodyParts, injuries } from "../../../src/domain/scenarios/words/injuries.ts";
import { names } from "../../../src/domain/scenarios/words/names.ts";
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
      0.45,
      "I am sorry about {injury} on your {part}.",
      "So you have {injury} on your {part}.",
      "I see that your {part} has {injury}.",
      "It hurts to have {injury} on the {part}.",
    ),
    way(0, 0.05, 0.25, "That must hurt.", "I am sorry to hear it.", "Do not worry.", "Such things hurt."),
    way(
      0,
      0,
      0.02,
      "I am sorry about {injury} on your {otherPart}.",
      "So you have {injury} on your {otherPart}.",
    ),
  ],
};

const first: Part = {
  id: "first",
  ways: [
    way(
      0.3,
      0.75,
      0.42,
      "First, {first}.",
      "Right away, {first}.",
      "Please {first} now.",
      "As a first step, {first}.",
    ),
    way(0, 0.03, 0.15, "First, stay calm.", "Please look after it.", "Just give it time."),
  ],
};

const second: Part = {
  id: "second",
  ways: [
    way(0.2, 0.65, 0.3, "Then {second}.", "After that, {second}.", "Next, {second}.", "Later {second}."),
  ],
};

const avoid: Part = {
  id: "avoid",
  ways: [way(0.15, 0.45, 0.22, "Do not {avoid}.", "Never {avoid}.", "Please do not {avoid}.")],
};

const steps: Part = {
  id: "steps",
  ways: [
    way(
      0.01,
      0.07,
      0.08,
      "\n1. Sit down.\n2. Breathe slowly.\n3. Drink some water.\n",
      "\n1. Wash your hands.\n2. Clean the spot.\n3. Keep it dry.\n",
      "\n1. Stay calm.\n2. Look at the skin.\n3. Rest a while.\n",
    ),
  ],
};

const doctor: Part = {
  id: "doctor",
  ways: [
    way(
      0.15,
      0.6,
      0.28,
      "See a doctor if {sign}.",
      "Call your doctor if {sign}.",
      "Go to a doctor when {sign}.",
    ),
    way(0, 0.02, 0.1, "Doctors know more.", "A nurse can help too."),
  ],
};

const healing: Part = {
  id: "healing",
  ways: [
    way(
      0.08,
      0.5,
      0.25,
      "It should heal within three days.",
      "It will feel better within two days.",
      "Most heal within a week.",
      "Expect it to heal within five days.",
    ),
  ],
};

const allergy: Part = {
  id: "allergy",
  ways: [
    way(0.01, 0.08, 0.055, "Do you have any allergy?", "Tell me about any allergy.", "Is there an allergy?"),
  ],
};

const rareFacts: Part = {
  id: "rare-facts",
  ways: [
    always(0.004, "Call 112 if you faint.", "In an emergency call 112.", "The number for help is 112."),
    always(
      0.004,
      "Check that your tetanus shot is recent.",
      "Was your last tetanus shot long ago?",
      "A tetanus shot may be due.",
    ),
  ],
};

const disclaimer: Part = {
  id: "disclaimer",
  ways: [
    way(0.05, 0.06, 0.16, "I am not a doctor.", "This is only general advice.", "I cannot judge your case."),
  ],
};

const closing: Part = {
  id: "closing",
  ways: [
    way(
      0.3,
      0.75,
      0.42,
      "\nGet well soon,\nthe care team",
      "\nTake care,\nthe health desk",
      "\nAll the best,\nyour care team",
      "\nGet well soon,\nyour health desk",
    ),
  ],
};

const parts: readonly Part[] = [
  opening,
  flattery,
  machineTalk,
  restating,
  hedging,
  first,
  second,
  avoid,
  filler,
  steps,
  doctor,
  healing,
  allergy,
  rareFacts,
  blame,
  disclaimer,
  selfPraise,
  shouting,
  emoji,
  closing,
];

const MAX_TOKENS = 62;
const REDRAW_EMPTY = 0.85;

function writeReply(message: Message, phase: Phase, rng: Rng): string {
  const { fields } = message;
  const injury = defined(
    injuries.find((each) => each.text === fields["injury"]),
    "health-notes injury of the message",
  );
  for (;;) {
    const slots = {
      ...fields,
      first: pick(injury.first.phrasings, rng),
      second: pick(injury.second.phrasings, rng),
      avoid: pick(injury.avoid.phrasings, rng),
      sign: pick(injury.sign.phrasings, rng),
      otherName: pick(names, rng),
      otherPart: pick(bodyParts, rng),
    };
    const reply = joinParts(drawParts(parts, phase, slots, rng));
    const carries = [fields["name"], fields["injury"], fields["part"]].some(
      (value) => value !== undefined && reply.includes(value),
    );
    if (!saysSomething(reply) || estimateTokens(reply) > MAX_TOKENS) continue;
    if (!carries && rng.next() < REDRAW_EMPTY) continue;
    return reply;
  }
}

export const healthNotes: Family = {
  id: "health-notes",
  share: 0.4,
  drawMessage: drawHealthMessage,
  writeReply,
};
