/** Check: the answer has none of the phrases by which readers know a language model (the plain style anchor of methods.md section 4). */
import { phraseDetector } from "./phrase-detector.ts";

export const noAiPhrases = phraseDetector({
  title: "does not sound like an AI",
  help: "Fails on phrases by which readers know a language model, by a list that you can edit.",
  said: "AI-like phrase",
  phrases: [
    ...["as an AI", "as an AI language model", "as a language model", "as a large language model"],
    ...["I hope this helps", "I hope this message finds you well", "feel free to reach out", "let's dive in"],
    ...["delve into", "delves into", "rich tapestry", "a testament to", "stands as a testament"],
    ...["it's important to note", "it is important to note", "it's worth noting", "it is worth noting"],
    ...[
      "in today's fast-paced world",
      "in the ever-evolving",
      "in the realm of",
      "navigate the complexities",
    ],
    ...[
      "navigating the complexities",
      "unlock the potential",
      "game-changer",
      "seamlessly",
      "at the end of the day",
    ],
    ...["in conclusion", "in summary", "plays a crucial role", "a multifaceted", "not only that, but"],
    ...["rest assured", "Certainly!", "Absolutely!", "Of course!", "embark on a journey", "look no further"],
  ],
});
