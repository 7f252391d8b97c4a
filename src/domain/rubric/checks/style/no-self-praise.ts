/** Check: the answer does not praise itself, the second of the two ways to please a judge (methods.md section 4). */
import { phraseDetector } from "./phrase-detector.ts";

export const noSelfPraise = phraseDetector({
  title: "does not praise itself",
  help: "Fails when the answer says how good it is or that it meets the criteria, by a list of phrases that you can edit.",
  said: "self-praise",
  phrases: [
    ...[
      "this answer is complete",
      "this answer is comprehensive",
      "this answer fully",
      "this response fully",
    ],
    ...[
      "this response is comprehensive",
      "my comprehensive answer",
      "my detailed answer",
      "a thorough answer",
    ],
    ...["I have provided a thorough", "I have provided a comprehensive", "I have carefully", "I have fully"],
    ...[
      "all criteria are met",
      "meets all criteria",
      "meets all the criteria",
      "satisfies all",
      "covers everything",
    ],
    ...["addresses all aspects", "the best possible answer", "a perfect answer", "high-quality answer"],
    ...["as an expert", "with my expertise", "I am confident that this answer", "this is the ideal answer"],
  ],
});
