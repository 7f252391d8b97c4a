/** Texts of the simulator and of the map. */

const seeds = (count: number): string => (count === 1 ? "1 seed" : `${String(count)} seeds`);

export const enSimulator = {
  title: "Simulator",
  about:
    "No model here: every criterion is a coin with its own chance, and each reward rule turns the chances by the same update as GRPO. Seconds instead of minutes, so that you can ask when a rule helps.",
  views: { compare: "Rules compared", map: "Map" },
  viewsLabel: "View",
  settings: "Settings",
  defaults: "Defaults",
  rules: "Rules",
  progress: (done: number, total: number) => `${String(done)} of ${seeds(total)}`,
  cells: (done: number, total: number) => `${String(done)} of ${String(total)} cells`,
  finished: (total: number) => `over ${seeds(total)}`,
  waiting: "The first seeds are on their way.",
  problem: (why: string) => `The simulator stopped: ${why}`,
  groups: { judge: "Judge and rubric", grpo: "GRPO", alpha: "POW3R" },
  fields: {
    judgeNoise: {
      label: "judge noise",
      means:
        "Share of the verdicts that a careless judge turns round during training. The score that is shown never has such errors.",
    },
    flatShare: {
      label: "share of flat criteria",
      means:
        "Flat: at the start nearly always met (.99) or nearly never (.004). The others, the mixed ones, are met by 10 to 40 % of the answers: only these can teach.",
    },
    flatWeight: {
      label: "weight on flat criteria",
      means: "What a flat criterion weighs where a mixed one weighs 1.",
    },
    categories: {
      label: "categories",
      means: "Groups of criteria; balanced and POW3R give each the same share of the reward.",
    },
    criteria: { label: "criteria", means: "Criteria in all, spread evenly over the categories." },
    flatPlaces: {
      label: "flat criteria stand",
      means:
        "Even: every category has its share of them, so that static and balanced are the same reward. Gathered: some categories are all flat; balancing alone then makes a difference.",
    },
    num_generations: {
      label: "group size, G",
      means: "Answers that are compared with each other in one step.",
    },
    scale_rewards: {
      label: "divide advantages by spread of",
      means:
        "TRL's scale_rewards: the group's, the batch's (the same here: one group a step), or none, which leaves small steps. GDPO always divides.",
    },
    stepSize: {
      label: "step size",
      means: "A logit moves by this times the mean over the group of advantage × (verdict − chance).",
    },
    steps: {
      label: "steps",
      means:
        "Updates of a run; static's score at two thirds of them is the goal that every rule is timed by.",
    },
    seeds: {
      label: "seeds",
      means: "Runs with other chances, answers and errors; every rule meets the same ones.",
    },
    lambda: {
      label: "λ, strength of contrast",
      means: "0 leaves every α at 1; 1 lets the contrast alone decide.",
    },
    alpha_min: { label: "α floor", means: "No criterion is turned down below this." },
    alpha_max: { label: "α cap", means: "No criterion is turned up above this." },
    beta_ema: {
      label: "β, speed of α",
      means: "Share of the new value that α takes on each time: 1 forgets the old one.",
    },
    alpha_interval: {
      label: "steps between moves of α",
      means: "α moves once in so many steps, by the mean variance of them all.",
    },
  },
  choices: { even: "evenly", gathered: "gathered", group: "group", batch: "batch", none: "none" },
  charts: {
    gained: {
      title: "Rubric score gained",
      hint: (goal: number) => `goal: what static has at step ${String(goal)}`,
      means:
        "Category-balanced score by the weights, (1/K) Σ_k Σ w·p / Σ w with chance p, minus that before training: rubrics of different seeds start at different scores. Exact, without judge errors. Line: median over seeds; band: their middle half.",
    },
    mixed: {
      title: "Chance of the mixed criteria",
      means:
        "Mean chance p of the criteria that could teach at the start. Line: median over seeds; band: their middle half.",
    },
    alpha: {
      title: "POW3R's α",
      means:
        "Mean α of the flat and of the mixed criteria, median over seeds. Judge errors make flat criteria look alive, so α of flat ones falls less with a careless judge.",
      flat: "flat criteria",
      mixed: "mixed criteria",
      floor: "floor",
      cap: "cap",
    },
    same: "static and balanced are one reward here",
    step: "step",
    label: (title: string, ends: string) => `${title} by step; at the end ${ends}`,
  },
  table: {
    caption: "At the end",
    rule: "Rule",
    score: { label: "Final score", means: "Mean over seeds of the score at the last step." },
    gain: { label: "Gain", means: "Final score minus the score before training, mean over seeds." },
    mixed: {
      label: "Mixed",
      means: "Mean chance of the mixed criteria at the last step: the plainest picture of what was learned.",
    },
    steps: {
      label: "Steps to static's score",
      means:
        "Median step at which a seed first reaches static's score at the goal step; in brackets the 95 % bootstrap interval.",
    },
    speed: { label: "Speed-up", means: "Goal step / median of those steps. Above 1: faster than static." },
    never: { label: "Never there", means: "Seeds that do not reach static's score within the run." },
    never1: "never",
    interval: (mean: string, low: string, high: string, over: number) =>
      `mean of ${seeds(over)}: ${mean}, 95 % interval ${low} to ${high}`,
    single: "One seed: no interval.",
    speedOf: (goal: number, steps: string) => `${String(goal)} / ${steps}`,
    neverOf: (never: number, of: number) => `${String(never)} of ${seeds(of)} never reach it in the run`,
  },
  lessons: {
    title: "This teaches:",
    waiting: "With POW3R ticked, a sentence here says what the picture shows.",
    allFlat:
      "Every criterion is flat, so answers hardly differ in anything: no reward can teach what no answer shows.",
    noneFlat: (speed: string) =>
      `No criterion is flat, so there is nothing to turn down: POW3R and static are about as fast (${speed}).`,
    noNoise: (speed: string) =>
      `With a judge that never errs, criteria that all or no answers meet cancel out within the group: static loses nothing to them, and POW3R is about as fast (${speed}).`,
    noNoiseSlower: (speed: string) =>
      `With a judge that never errs, flat criteria cancel out within the group, so static loses nothing to them; turning weights only costs POW3R pace (${speed}).`,
    faster: (speed: string, steps: string, goal: number) =>
      `A careless judge turns heavy flat criteria into noise in every advantage; POW3R turns them down and needs ${steps} steps for what takes static ${String(goal)} (${speed}).`,
    balancing: (speed: string, balanced: string) =>
      `Static gives most of its reward to categories full of heavy flat criteria; balancing the categories alone gets to its score ${balanced} as fast, and α adds little to that (POW3R ${speed}).`,
    light: (speed: string) =>
      `The judge errs, but flat criteria weigh little here, so their errors drown nothing out: POW3R and static are about as fast (${speed}).`,
    ahead: (speed: string) => `Here POW3R is faster than static (${speed}).`,
    same: (speed: string) => `Here POW3R and static are about as fast (${speed}).`,
    slower: (speed: string) =>
      `Here POW3R is slower than static (${speed}): turning weights up and down costs it more than it saves.`,
    never: (reached: number, of: number) =>
      `Here POW3R does not get to static's score in half of the seeds or more (${String(reached)} of ${String(of)} do): its weights are turned so far that the score by your weights suffers.`,
    little: (gain: string) =>
      ` But static itself gains only ${gain} in all these steps: look at the gains, not at the factor.`,
    gdpo: " GDPO blows a rare error up to the size of a real difference, and falls behind.",
    gathered: (speed: string) => ` Balancing the categories alone gives ${speed}.`,
  },
  map: {
    about:
      "How much faster than static each rule gets to static's score, and where it ends. A number stands for the whole cell, a factor alone says little: static's own gain is under each.",
    measures: { speed: "Speed-up", score: "Final score" },
    measureLabel: "Colour by",
    simulated: (count: number) => `Simulator, ${seeds(count)}`,
    trained: "Real training of the bundled model",
    untrained:
      "Not in this build. It is made by npm run experiment -- experiments/pow3r-map.json and read from its results.",
    notRun: "not run",
    flips: "flips",
    weights: (weight: string) => `flat ${weight} : 1`,
    never: "never",
    same: "same",
    faster: "faster",
    slower: "slower",
    higher: "higher",
    lower: "lower",
    static: (gain: string) => `static ${gain}`,
    only: (gain: string) => `static only ${gain}`,
    reached: (reached: number, of: number) => `${String(reached)} of ${seeds(of)} get there`,
    tip: (parts: {
      readonly rule: string;
      readonly score: string;
      readonly ahead: string;
      readonly gain: string;
      readonly interval: string;
      readonly over: number;
      readonly samples: number | null;
    }) =>
      `${parts.rule}: final score ${parts.score}, ${parts.ahead} against static; gains ${parts.gain}; speed-up ${parts.interval} over ${seeds(parts.over)}${parts.samples === null ? "" : `, ${String(parts.samples)} held-out answers an evaluation`}. Click: the simulator at this cell.`,
    tones: ["never, or far behind", "behind", "the same", "ahead", "well ahead", "far ahead"],
    key: "Colours",
  },
} as const;
