/** The page's introduction and the glossary's own words in English; the rest of the glossary are the terms of the hovers. */

export const enGlossary = {
  wordsTitle: "What training is made of",
  lettersTitle: "The letters of the formulas",
  termsTitle: "What the page shows",
  words: [
    { label: "prompt", means: "A message that the model answers." },
    { label: "rollout", means: "One answer that the model sampled." },
    {
      label: "group",
      means: "The answers to one prompt in one step: only what differs among them can teach.",
    },
    { label: "rubric", means: "The criteria that say what a good answer does, with a weight each." },
    {
      label: "verdict",
      means:
        "What a check says of one answer and one criterion: met, not met, or missing where nothing can decide.",
    },
    {
      label: "step",
      means: "A group of answers is sampled, judged and compared, and the model moves a little.",
    },
    {
      label: "GRPO",
      means:
        "The way it moves: answers that earned more than their group become likelier, the others less likely.",
    },
    {
      label: "arm",
      means:
        "A reward rule with an adapter of its own; all arms start alike and get the same prompts and random numbers.",
    },
    { label: "adapter", means: "The small trained part (LoRA) beside the model's frozen weights." },
    { label: "held out", means: "Prompts kept for scoring: the model is never trained on them." },
    {
      label: "window",
      means: "The last 8 groups in which a criterion was judged; its state is read from them.",
    },
  ],
  letters: [
    {
      label: "s, p, v",
      means: "A verdict, its mean over a group (the pass rate) and its variance, p·(1 − p) at most.",
    },
    { label: "w, a or α", means: "The weight you gave, and POW3R's factor on it." },
    { label: "g", means: "Contrast: how much the answers of a group differ in a criterion, √(v + ε)." },
    { label: "ε", means: "A tiny number that keeps g above 0." },
    { label: "λ", means: "How strongly contrast moves α; 0 = not at all." },
    { label: "β", means: "How fast α follows: the share of the new value in each update." },
    { label: "K, k", means: "How many categories there are, and one of them." },
    { label: "R, A", means: "An answer's reward, and its advantage over the group." },
    { label: "Σ", means: "Sum over the criteria." },
  ],
};

export const enIntro = {
  title: "What this page does",
  paragraph:
    "Press Train and a small language model learns in this tab: it writes several answers to each prompt, checks say which criteria each one meets, and answers that earn more than their group become likelier. Two copies learn side by side: static pays by the weights as you wrote them; POW3R also turns a criterion up where the answers differ in it, down where they do not. α is that turn (1 = none), pressure a criterion's share of the reward: only what stands on learning criteria teaches.",
  glossary: "Every word explained",
  dismiss: "Got it",
};
