/** Parts that replies of several families share: openings, tone and its faults. */
import { always, way } from "./family.ts";
import type { Part } from "./family.ts";

export const opening: Part = {
  id: "opening",
  ways: [
    way(1, 0.8, 0.4, "Dear {name},\n", "Hello {name},\n", "Hi {name},\n", "Good day {name},\n"),
    way(0, 0.1, 0.3, "Hello,\n", "Good day,\n", "Dear friend,\n", "Hi there,\n"),
    way(0, 0, 0.015, "Dear {otherName},\n", "Hello {otherName},\n"),
  ],
};

export const flattery: Part = {
  id: "flattery",
  ways: [
    way(
      0.1,
      0.1,
      0.2,
      "What a great question!",
      "You are so smart to write.",
      "Such a wonderful message!",
      "You are a great person.",
    ),
  ],
};

export const machineTalk: Part = {
  id: "machine-talk",
  ways: [
    way(
      0.04,
      0.04,
      0.1,
      "As an AI, I understand you.",
      "I hope this message finds you well.",
      "Let us delve into this matter.",
      "It is important to note that I care.",
    ),
  ],
};

export const hedging: Part = {
  id: "hedging",
  ways: [
    way(
      0.1,
      0.15,
      0.35,
      "Perhaps it is nothing.",
      "It might be a small thing.",
      "Maybe it will pass.",
      "I am not sure, but it could be simple.",
      "Possibly it is not serious.",
    ),
  ],
};

export const filler: Part = {
  id: "filler",
  ways: [
    way(
      0.05,
      0.05,
      0.16,
      "As you know, these things happen.",
      "At the end of the day, life goes on.",
      "Every day is a new day.",
      "There is much to say about this.",
    ),
  ],
};

export const selfPraise: Part = {
  id: "self-praise",
  ways: [
    way(
      0.02,
      0.02,
      0.06,
      "This is the best answer you can get.",
      "I am very proud of this reply.",
      "No one explains it better than I do.",
    ),
  ],
};

export const shouting: Part = {
  id: "shouting",
  ways: [always(0.006, "PLEASE STAY CALM!", "WE ARE HERE FOR YOU!", "THIS IS VERY IMPORTANT!")],
};

export const emoji: Part = { id: "emoji", ways: [always(0.006, "🙂", "👍", "🎉")] };

export const blame: Part = {
  id: "blame",
  ways: [always(0.004, "This is your own fault.", "You did this to yourself.", "That was careless of you.")],
};
