/** The terms and the settings' plain names of the English module. */

/** One sentence a term, with the formula where there is one. */
export const enTerms = {
  criterion: {
    label: "criterion",
    means: "One thing an answer should do; a check or a judge says whether it does.",
  },
  weight: {
    label: "weight",
    means: "How much you want it, w. 0 = watched, but not rewarded.",
  },
  passes: {
    label: "passes",
    means:
      "Share of the newest answers that meet the criterion, p = mean of its verdicts. Faint: before judge noise.",
  },
  state: {
    label: "state",
    means:
      "Over the last 8 judged groups: dead when at most 2 % pass, saturated when at least 98 % do, else learning; judge noise widens both bounds. A state turns only when its rate is clearly past a bound, by 1.5 standard errors.",
  },
  passRate: {
    label: "pass rate, step by step",
    means: "One bar a training step: its height is the share of answers that met the criterion.",
  },
  alpha: {
    label: "α",
    means:
      "How far POW3R turns the criterion up or down: a ← (1 − β)·a + β·clip((1 − λ) + λ·g / mean g, bounds), with contrast g = √(variance + ε). 1 = untouched. λ: how strongly contrast counts; β: how fast a follows; ε: a tiny number that keeps g above 0.",
  },
  pressure: {
    label: "pressure",
    means:
      "The criterion's share of each arm's reward: static w / Σw, POW3R w·a / (K · Σw·a of its category), with w the weight, a its α, K the number of categories.",
  },
  mass: {
    label: "mass",
    means:
      "What all criteria of the category share of the reward: 1/K for balanced and POW3R, its weights' share for static.",
  },
  dead: {
    label: "dead",
    means: "Almost no answer passes: all answers look alike, so nothing is learned from it (variance 0).",
  },
  saturated: {
    label: "saturated",
    means: "Almost every answer passes: it is paid for, but teaches nothing any more (variance 0).",
  },
  learning: {
    label: "learning",
    means: "Some answers pass and some do not: comparing them teaches something.",
  },
  unseen: {
    label: "too little seen",
    means: "Fewer than 32 verdicts so far, or too few to tell under judge noise.",
  },
  heldOutScore: {
    label: "Held-out rubric score",
    means:
      "Mean of Σ w·s / Σ w over answers to prompts it never trained on, by your weights and without judge noise.",
  },
  trainedScore: {
    label: "Rubric score, nothing held out",
    means:
      "Mean of Σ w·s / Σ w over answers to the very prompts it trains on: fewer than four prompts leave none to hold out. By your weights and without judge noise.",
  },
  trainedPassRate: {
    label: "Learning pass rate, nothing held out",
    means:
      "Mean pass rate, on the prompts it trains on, of the criteria that were neither dead nor saturated before training.",
  },
  balancedScore: {
    label: "Category-balanced score",
    means: "The same answers, but every category counts alike: mean over categories of Σ w·s / Σ w.",
  },
  whereItGoes: {
    label: "Where the pressure goes",
    means:
      "The reward split by the state of its criteria: only the part on learning criteria can teach something now.",
  },
  alphas: {
    label: "α per criterion",
    means:
      "How far POW3R turns each criterion up or down; the dotted lines are its bounds. A category where nothing varies drifts back to 1, not to the floor.",
  },
  trainingReward: {
    label: "Training reward",
    means: "Mean reward of the step's answers, by each arm's own formula and with judge noise.",
  },
  learningPassRate: {
    label: "Learning pass rate",
    means: "Mean held-out pass rate of the criteria that were neither dead nor saturated before training.",
  },
  strictCompletion: {
    label: "Strict completion",
    means: "Share of held-out answers that meet every required criterion (all of them where none is marked).",
  },
  kl: {
    label: "KL to the base",
    means:
      "How far the policy moved: mean of e^(r − p) − (r − p) − 1, log-probabilities of base r and policy p (r of the adapter instead, where a run starts from one). Measured when beta > 0.",
  },
  entropy: {
    label: "Entropy",
    means: "How undecided the next token is: −Σ p log p, in nats, averaged over tokens.",
  },
  length: { label: "Completion length", means: "Mean number of tokens an answer." },
  gradNorm: { label: "Gradient norm", means: "Length of the gradient before clipping, √Σ g²." },
  spread: {
    label: "Reward spread in groups",
    means: "Standard deviation of the rewards within a group: what advantages are made of.",
  },
  categories: {
    label: "Score per category",
    means: "Held-out Σ w·s / Σ w inside each category, of the arm in focus.",
  },
  strip: {
    label: "States over time",
    means: "Each criterion at each step: dead, saturated or learning, of the arm in focus.",
  },
  correlation: {
    label: "weight and variance",
    means:
      "Pearson correlation of your weights and the verdicts' variance over the rewarded criteria; near 0: weights do not fall where there is something to learn.",
  },
  reward: { label: "reward", means: "What the arm's formula makes of the answer's verdicts, 0 to 1." },
  advantage: {
    label: "advantage",
    means:
      "How much better than its group: A = (R − mean R) / (std R + 0.0001). Above 0 the answer becomes likelier.",
  },
  groupMean: {
    label: "group mean",
    means: "Mean reward of the answers to this prompt: what each answer's advantage is measured from.",
  },
  teaches: {
    label: "teaches",
    means: "Share of the arm's reward that stands on learning criteria, at the newest step.",
  },
  groupSpread: {
    label: "spread",
    means: "Standard deviation of the group's rewards; 0 means that this group teaches nothing.",
  },
  logProb: {
    label: "chance after the update",
    means:
      "log p after minus before this step's update: blue tokens became likelier, orange ones less likely.",
  },
  judgeNoise: {
    label: "Judge noise",
    means: "Share of training verdicts that are turned round at random; held-out verdicts never are.",
  },
  engine: {
    label: "engine",
    means: "Where the model computes: WASM on the processor, WebGPU on the graphics chip.",
  },
  veto: { label: "required", means: "Counts for strict completion and for the binary reward." },
} as const;

export type TermName = keyof typeof enTerms;

/** Plain names beside TRL's. */
export const enSettings = {
  num_generations: "answers a prompt",
  prompts_per_step: "prompts a step",
  max_completion_length: "longest answer, tokens",
  temperature: "temperature",
  top_k: "top k (0 = off)",
  top_p: "top p (1 = off)",
  beta: "pull towards the base (KL)",
  use_bias_correction_kl: "KL times importance ratio",
  epsilon: "clip below",
  epsilon_high: "clip above (empty = same)",
  delta: "largest ratio (empty = off)",
  importance_sampling_level: "one ratio for each",
  num_iterations: "updates a batch",
  loss_type: "loss",
  scale_rewards: "divide advantages by spread of",
  mask_truncated_completions: "leave cut-off answers out of the loss",
  learning_rate: "learning rate",
  lr_scheduler_type: "learning rate over time",
  warmup_steps: "warm-up steps",
  max_steps: "steps",
  adam_beta1: "Adam β₁",
  adam_beta2: "Adam β₂",
  adam_epsilon: "Adam ε",
  weight_decay: "weight decay",
  max_grad_norm: "largest gradient norm",
  save_steps: "steps between checkpoints",
  save_total_limit: "checkpoints kept",
  divergence_loss: "loss that stops the run",
  divergence_grad_norm: "gradient norm that stops the run",
  micro_batch_size: "answers a pass (empty = all)",
  zero_spread_tolerance: "spread that counts as zero",
  seed: "seed",
  seeds: "how many seeds",
  judgeNoise: "judge noise",
  evaluateEvery: "steps between evaluations",
  evaluationSamples: "held-out answers an evaluation",
  r: "adapter rank",
  lora_alpha: "adapter scale",
  use_rslora: "rank-stabilised scale",
  target_modules: "layers with an adapter",
  "pow3r.epsilon": "ε, under the root of the contrast",
  lambda: "λ, strength of contrast",
  alpha_min: "α floor",
  alpha_max: "α cap",
  beta_ema: "β, speed of α",
  alpha_update: "α moves each",
  alpha_interval: "steps between moves of α",
  alpha_scope: "one α for each",
  min_valid_share: "verdicts needed, share",
} as const;

/** What a setting does, in a sentence; for those whose name does not say it. */
export const enSettingMeans = {
  top_k:
    "Only the k likeliest tokens can be drawn. The training still counts the whole distribution, as TRL does.",
  top_p:
    "Only the fewest, likeliest tokens that together have the chance p can be drawn, after top k. The training still counts the whole distribution, as TRL does.",
  use_bias_correction_kl:
    "TRL's default: the KL of a token counts by its ratio, so that its gradient is that of the true KL.",
  epsilon: "A token's ratio, its chance now over its chance when sampled, stops pulling below 1 − ε.",
  epsilon_high: "The ratio stops pulling above 1 + this; DAPO takes .28.",
  delta:
    "Clipping leaves the ratio of an answer that is worse than its group without an upper bound; this is one. Take more than 1 + the clip above.",
  importance_sampling_level:
    "token: each token has its ratio. sequence: an answer has one, the mean over its tokens of the log ratio (GSPO).",
  num_iterations: "How often one batch of answers is used before new ones are sampled.",
  loss_type:
    "What a token weighs. grpo: every answer the same; bnpo and dapo: every token the same; dr_grpo: as if all answers were as long as the longest allowed.",
  scale_rewards: "The spread of rewards that an advantage is divided by: the group's, the batch's, or none.",
  mask_truncated_completions:
    "An answer that the length limit cut off teaches nothing; its reward still counts in its group's mean and spread.",
  num_generations: "G, the group: so many answers to one prompt are compared with each other.",
  prompts_per_step: "P: so many groups make one step; its batch has P · G answers.",
  max_completion_length: "An answer that is not finished by then is cut off.",
  temperature: "1 samples as the model says; below 1 the likely tokens become likelier still.",
  beta: "Weight of the KL to the base in the loss; 0 leaves it out and saves its forward pass.",
  learning_rate:
    "How far AdamW moves the adapter each update. Above .005 this model tends to end in empty answers.",
  lr_scheduler_type: "constant, or falling to 0 along a line or a cosine until the last step.",
  warmup_steps: "The learning rate rises from 0 over so many steps.",
  max_steps: "The run ends after so many steps.",
  adam_beta1: "Share of the running mean of the gradient that each update keeps.",
  adam_beta2: "The same for its square.",
  adam_epsilon: "Added to the root of that square before AdamW divides by it.",
  weight_decay: "Share of each adapter weight that an update takes away, times the learning rate.",
  max_grad_norm: "A longer gradient is shortened to this length.",
  save_steps: "A checkpoint is kept in this browser after each so many steps, and at a pause.",
  save_total_limit: "So many of a run's newest checkpoints are kept; older ones make room.",
  divergence_loss: "A loss beyond this, up or down, pauses the run before the step changes anything.",
  divergence_grad_norm:
    "A gradient longer than this before it is shortened pauses the run before the step changes anything.",
  micro_batch_size:
    "So many answers go through the backward pass at once; fewer take less memory and give the same numbers.",
  seed: "Start of every random number: the same seed and settings repeat the run.",
  seeds:
    "Each seed trains every arm once more, from other random numbers: charts then show the mean and how far it can be trusted.",
  judgeNoise: "Share of training verdicts that are turned round at random, 0 to .5; held-out ones never are.",
  evaluateEvery: "The held-out prompts are answered each so many steps, and before the first.",
  evaluationSamples: "More answers give a steadier score and take longer.",
  r: "Rank of the two LoRA matrices beside each weight: more can learn more.",
  lora_alpha: "What the adapter adds is scaled by this over the rank.",
  use_rslora:
    "The scale is lora_alpha over the square root of the rank, so that large ranks learn as fast as small ones.",
  target_modules: "The linear layers of a block that get an adapter.",
  lambda: "0 leaves every α at 1; 1 lets the contrast alone decide.",
  alpha_min: "No criterion is turned down below this.",
  alpha_max: "No criterion is turned up above this.",
  beta_ema: "Share of the new value that α takes on each time: 1 forgets the old one.",
  "pow3r.epsilon": "g = √(variance + ε): keeps the contrast of a criterion that never varies above 0.",
  alpha_update: "step: after every step. epoch: after every prompt was seen once, as in the paper.",
  alpha_interval:
    "α moves after every so many steps, by what all of them saw. Only where it moves by the step.",
  alpha_scope: "scenario: a criterion has one α. prompt: one for each prompt, moved only by its own groups.",
  min_valid_share: "With fewer verdicts than this share of the group, α stays as it is.",
  zero_spread_tolerance: "Rewards of a group that lie closer together than this count as equal.",
} as const;
