/** Texts of several arms and seeds: the arms' editor, what a run costs, bands, the comparison. */

const count = (n: number, one: string): string => `${String(n)} ${n === 1 ? one : `${one}s`}`;

export const enArms = {
  name: "Name",
  rule: "Reward",
  nameOf: (at: number) => `Name of arm ${String(at)}`,
  ruleOf: (at: number) => `Reward of arm ${String(at)}`,
  constantsOf: (name: string) => `its constants: ${name}`,
  constants: "its constants",
  own: (settings: string) => `Own update settings: ${settings}.`,
  add: "Add an arm",
  most: "Six arms at most.",
  remove: "Remove",
  removeOf: (name: string) => `Remove ${name}`,
  twice: (name: string) => `two arms are named “${name}”`,
  cost: (arms: number, seeds: number) =>
    `${count(arms, "arm")} × ${count(seeds, "seed")} = ${count(arms * seeds, "adapter")} to train side by side.`,
  time: (time: string) => `About ${time} here, at the speed measured last.`,
  noTime: "How long it takes is told once a few steps have been measured here.",
} as const;

export const enCompare = {
  title: "Comparison",
  seedOf: (seed: number) => `seed ${String(seed)}`,
  focusSeed: "Seed whose table, answers and sentence are shown",
  bands: {
    interval: (seeds: number) => `Line: mean of ${String(seeds)} seeds. Band: 95 % t-interval of that mean.`,
    range: "Line: mean of 2 seeds. Band: from the lower to the higher one; two are too few for an interval.",
  },
  bandName: (seeds: number) => (seeds === 2 ? "mean, both seeds" : `mean of ${String(seeds)}, 95 % interval`),
  waiting: "The first numbers come when every seed has been scored.",
  reference: "Compared with",
  table: {
    caption: (step: number, seeds: number, samples: number) =>
      `After ${count(step, "step")}; ${count(seeds, "seed")}, ${String(samples)} held-out answers each`,
    arm: "arm",
    base: "base model",
    score: "held-out score",
    balanced: "category-balanced",
    strict: "strict completion",
    learning: "learning pass rate",
    spread: "± is the half-width of the 95 % t-interval over seeds.",
    noSpread: "One seed has no interval: other seeds could change the order.",
  },
  target: {
    title: "Steps to the reference's score",
    means:
      "First evaluated step at which an arm reaches the final held-out score of the reference arm of the same seed: median over seeds, with the 95 % bootstrap interval of that median.",
    toTarget: (score: number) => `Steps to a held-out score of ${String(score)}`,
    counts: "A speed-up counts as much as the reference's gain, which stands beside it.",
    arm: "arm",
    steps: "steps",
    interval: "95 % interval",
    reached: "reached by",
    speed: "speed-up",
    gained: (name: string) => `gain of ${name}`,
    never: "most seeds never",
    open: "never",
    of: (reached: number, seeds: number) => `${String(reached)} of ${String(seeds)}`,
    noGain: "The reference has gained nothing, so there is no score to be faster to.",
  },
  scatter: {
    title: "Score against strict completion",
    means:
      "One path an arm, from the base model over its evaluations (mean over seeds); the last one is the large dot. Further up and right is better on both: an arm there dominates.",
    dot: (arm: string, step: number, score: string, strict: string) =>
      `${arm}, step ${String(step)}: held-out score ${score}, strict completion ${strict}`,
    x: "held-out score",
    y: "strict completion",
  },
  files: {
    open: "An experiment …",

    which: "Which cell?",
    whichHint: (name: string) =>
      `“${name}” asks its question in several settings. One of them runs here at a time.`,
    cell: (arms: number, seeds: number) => `${count(arms, "arm")}, ${count(seeds, "seed")}`,
  },
} as const;
