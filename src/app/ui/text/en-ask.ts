/** Texts of the sheet that asks the model something. */
export const enAsk = {
  title: "Ask it",
  hint: "The base model and each arm answer the same message",
  another: "Another example",
  message: "Your message",
  example:
    "The bundled model knows short customer messages and health notes; names from the list come back best.",
  name: "name",
  product: "product",
  insert: "Insert",
  temperature: "Temperature",
  go: "Answer",
  base: "base model",
  waiting: "writing …",
  busy: "The answer comes between two training steps.",
};

/** Texts of the set-up sheet. */
export const enSetUp = {
  title: "Set-up",
  model: "Model",
  arms: "Arms",
  armsHint: "trained side by side, from the same prompts and seeds",
  grpo: "GRPO",
  grpoHint: "TRL's names, plain names beside",
  run: "Run",
  judgeNoise: "judge noise",
  pow3r: "POW3R",
  pow3rHint: "the paper gives no values within reach; these are ours",
  prompts: "Your own prompts",
  promptsHint: "Every fourth prompt is held out; with fewer than four, all are used on both sides.",
  more: "All settings",
  found: "What checks can find in each",
  foundNothing: "nothing a check could ask for",
  fields: { name: "name in it", product: "product in it", order: "order number in it" } as Readonly<
    Record<string, string>
  >,
  apply: "Use these: start a fresh run",
  unchanged: "Nothing changed",
  oneArm: "A run needs at least one arm.",
  freshRun: "A change starts a fresh run at step 0; the rubric stays.",
  why: "Why",
  size: (mb: string) => `${mb} MB`,
  adapter: (thousands: string) => `${thousands} k adapter parameters an arm`,
  notHere: "not on this machine",
  bad: (name: string, why: string) => `${name}: ${why}`,
};
