/** Messages about small injuries: name, injury and body part, in several forms. The corpus and the scenarios draw from here. */
import type { Rng } from "../../base/rng.ts";
import { fill, pick, splitOf } from "./grammar.ts";
import type { Message, Split } from "./grammar.ts";
import { bodyParts, injuries } from "./words/injuries.ts";
import { names } from "./words/names.ts";

export const healthTemplates: readonly string[] = [
  "Hi, {name} here: I have {injury} on my {part}. What should I do?",
  "This is {name}. There is {injury} on my {part}. What now?",
  "I got {injury} on my {part} today. Thanks, {name}",
  "Hello, I am {name}. My {part} has {injury}. Please help.",
  "What helps with {injury} on the {part}? Regards, {name}",
  "Good morning, my name is {name}. I have {injury} on my {part}.",
  "Since today my {part} has {injury}. What can I do? Thank you, {name}",
];

export function drawHealthMessage(rng: Rng, split: Split): Message {
  for (;;) {
    const name = pick(names, rng);
    const injury = pick(injuries, rng);
    const part = pick(bodyParts, rng);
    const key = names.indexOf(name) + injuries.indexOf(injury) * 3 + bodyParts.indexOf(part) * 5;
    if (splitOf(key) !== split) continue;
    const fields = {
      name,
      injury: injury.text,
      part,
      first: injury.first.key,
      second: injury.second.key,
      avoid: injury.avoid.key,
      sign: injury.sign.key,
    };
    return { text: fill(pick(healthTemplates, rng), fields), fields };
  }
}
