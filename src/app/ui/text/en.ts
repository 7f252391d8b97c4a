/** Every text of the interface in English. Another language is a module of the same shape: `export const ko: Text = {...}`. */
import { enAdapters } from "./en-adapters.ts";
import { enAsk, enSetUp } from "./en-ask.ts";
import { enArms, enCompare } from "./en-compare.ts";
import { enFaults } from "./en-faults.ts";
import { enGlossary, enIntro } from "./en-glossary.ts";
import { enModels } from "./en-models.ts";
import { enChecks } from "./en-checks.ts";
import { enImport } from "./en-import.ts";
import { enRubricEditor } from "./en-rubric.ts";
import { enSaved } from "./en-saved.ts";
import { enSimulator } from "./en-simulator.ts";
import { enSettingMeans, enSettings, enTerms, type TermName } from "./en-terms.ts";

export const en = {
  language: "en",
  name: "Rubric Playground",
  missing: "–",
  close: "Close",
  cancel: "Cancel",
  terms: enTerms as Readonly<Record<TermName, { readonly label: string; readonly means: string }>>,
  settings: enSettings as Readonly<Record<string, string>>,
  settingMeans: enSettingMeans as Readonly<Record<string, string>>,
  rules: {
    pow3r: {
      name: "POW3R",
      means: "Balanced over categories, each weight times its α.",
      formula: "R = (1/K) Σ_k Σ w·a·s / Σ w·a",
    },
    "static-scalar": {
      name: "static",
      means: "The weighted mean of the verdicts.",
      formula: "R = Σ w·s / Σ w",
    },
    "category-balanced": {
      name: "balanced",
      means: "Every category counts alike; POW3R with α = 1.",
      formula: "R = (1/K) Σ_k Σ w·s / Σ w",
    },
    gdpo: {
      name: "GDPO",
      means: "Each criterion normalised in its group, then summed.",
      formula: "A = norm(Σ w·z(s))",
    },
    binary: {
      name: "binary",
      means: "1 when every required criterion passes, else 0.",
      formula: "R = 1 if all s = 1, else 0",
    },
  },
  armsEditor: enArms,
  compare: enCompare,
  glossary: enGlossary,
  simulator: enSimulator,
  importing: enImport,
  checks: enChecks,
  rubricEditor: enRubricEditor,
  models: enModels,
  adapters: enAdapters,
  intro: enIntro,
  states: { dead: "dead", saturated: "saturated", learning: "learning", unseen: "too little seen" },
  header: {
    scenario: "Scenario",
    setUp: "Set-up",
    train: "Train",
    goOn: "Go on",
    again: "Start over",
    pause: "Pause",
    pausing: "Pausing",
    step: "Step",
    stop: "Stop",
    reset: "Reset",
    settings: "Set-up",
    ask: "Ask it",
    steps: (step: number, max: number) =>
      max > 0 ? `of ${String(max)} steps` : step === 1 ? "step" : "steps",
    speed: (perSecond: string) => `${perSecond} steps/s`,
    perStep: (seconds: string) => `${seconds} s a step`,
    left: (time: string) => `${time} left`,
    noModel: "no model yet",
    architectures: { qwen3: "Qwen3", qwen2: "Qwen2", llama: "Llama" } as Readonly<Record<string, string>>,
    parameters: (millions: string) => `${millions} M parameters`,
    threads: (count: number) => (count === 1 ? "1 thread" : `${String(count)} threads`),
    engines: { wasm: "WASM", webgpu: "WebGPU", auto: "pick the faster" },
    model: (name: string) => `Model: ${name}`,
    saved: (step: number) => `saved at step ${String(step)}`,
  },
  files: {
    menu: "Files",
    save: "Save",
    open: "Open",
    csv: "Metrics as CSV",
    jsonl: "Metrics as JSONL",
    adapters: "Adapters for PEFT (zip)",
    merged: "A merged model …",
    run: "The whole run (zip)",
    runSettings: "The run's settings (JSON)",
    rubric: "The rubric (JSON)",
    rubricForms: "The rubric in another form …",
    openSaved: "A saved run …",
    openSettings: "A run's settings …",
    openRubric: "A rubric …",
    openAdapter: "An adapter to start from …",
    means: {
      csv: "Every row of the run, one column a metric, in TRL's names.",
      jsonl: "Every row of the run, one JSON object a line, in TRL's names.",
      adapters: "What each arm learned, as a LoRA folder that Hugging Face PEFT loads.",
      merged: "The model with what an arm learned inside its weights, for transformers.",
      run: "Settings, rubric, metrics, adapters and the versions of everything, in one file.",
      runSettings:
        "All settings, prompts, the seed and the rubric of every step: opened here, or by npm run experiment, it repeats the run.",
      rubric: "The rubric as it stands now.",
      rubricForms: "With its prompts, as YAML, or as HealthBench, promptfoo and verifiers read it.",
    },
  },
  leave: {
    title: "Leave this run?",
    stands: (step: number, max: number) => `It stands at step ${String(step)} of ${String(max)}.`,
    saved: "It stays saved in this browser, and is offered to go on with. Your edits of the rubric stay too.",
    lost: "It could not be saved: leaving loses what it learned.",
    stay: "Stay",
    leave: "Leave it",
  },
  edits: {
    kept: (where: string) =>
      `Your edits of the rubric are kept for “${where}”; choose it again to have them back.`,
    returned: "This rubric has your earlier edits.",
    fine: "Fine",
  },
  ownPrompts: {
    examples: "These are example prompts. Write your own, one a line.",
    yours: (count: number) =>
      count === 1 ? "This trains on your prompt." : `This trains on your ${String(count)} prompts.`,
    write: "Write your prompts",
    change: "Change them",
    unknown: (words: readonly string[], more: number) =>
      `The bundled model does not know ${words.map((word) => `“${word}”`).join(", ")}${more > 0 ? ` and ${String(more)} more` : ""}: it was trained on customer messages and short health notes alone, so its answers may miss the point.`,
  },
  problems: {
    empty: "fill this in",
    number: "a number is needed",
    whole: "a whole number is needed",
    atLeast: (least: string) => `at least ${least}`,
    moreThan: (least: string) => `more than ${least}`,
    atMost: (most: string) => `at most ${most}`,
    lessThan: (most: string) => `less than ${most}`,
    oneLine: "at least one line",
    choose: "choose one of the list",
    other: "this value cannot be used",
  },
  progress: {
    fetch: "Fetching the model",
    wait: "The server is busy or the connection broke: trying again soon",
    calibrate: "Trying which engine is faster",
    compile: "Compiling the model",
    evaluate: "Scoring held-out answers",
    train: "Training",
    loading: "Getting ready",
  },
  rubric: {
    title: "Rubric",
    hint: "edit anything; the next step uses it",
    waits: (step: number) => `your edit counts from step ${String(step)}`,
    add: "Add a criterion",
    undo: "Undo",
    restore: "Back to the original",
    tryIt: "Try it",
    edit: (name: string) => `Edit “${name}”`,
    story: (name: string) => `Story of “${name}”`,
    weightOf: (name: string) => `Weight of ${name}`,
    needsJudge: "needs a judge",
    byJudge: "judge",
    needsJudgeWhy:
      "No check covers these words, and there is no judge yet: it has no verdicts, every sum leaves it out, nothing is guessed.",
    required: "required",
    requiredMeans: "Required: counts for strict completion and for the binary reward.",
    mass: (share: string) => `mass ${share}`,
    problem: (why: string) => `Not used: ${why}. The run goes on with the last valid rubric.`,
    beforeNoise: (rate: string) => `before judge noise ${rate}`,
    pressureOf: (arm: string, share: string) => `${arm} ${share}`,
    alphaNow: (value: string) => `α ${value}: what the newest step was scored with`,
    alphaOfFlat:
      "It follows how much answers differed in the last few steps, judge errors included; the state looks back over 8 groups. So a flat criterion can stand above 1 for a while.",
    anew: "Faint: what it asked before its check changed. α and history start anew there.",
    badWeight: (most: number, kept: number) =>
      `A weight is a number from 0 to ${String(most)}; it stays ${String(kept)}.`,
    rates: (from: string, to: string) => `Passes went from ${from} to ${to}`,
    focus: "Rates and states of",
  },
  editor: {
    newTitle: "New criterion",
    editTitle: "Edit criterion",
    words: "What should an answer do?",
    category: "Category",
    weight: "Weight",
    required: "Required",
    check: "Checked by",
    noCheck: "nobody yet: needs a judge",
    negate: "the opposite counts (does not)",
    oneALine: "one a line",
    arguments: {
      phrases: "Words or phrases",
      field: "Part of the prompt",
      minItems: "Fewest items of the list",
    } as Readonly<Record<string, string>>,
    partAs: (part: string, example: string) => `${part}, such as “${example}”`,
    save: "Use it",
    remove: "Remove",
    keeps: "α and history are kept.",
    startsAnew: "Other words or another check: α and history start anew.",
    tryTitle: "Try it on an answer",
    tryPrompt: "to the prompt",
    tryNoPrompt: "without a prompt",
    tryAnswer: "Paste or write an answer",
    tryGo: "Check",
    tryTooLong: (length: number, most: number) =>
      `The answer has ${String(length)} characters; at most ${String(most)} can be checked here. Paste a part of it.`,
    meets: "met",
    fails: "not met",
    partly: (value: string) => `met to ${value}`,
    missing: "no verdict",
  },
  learning: {
    title: "Learning",
    scoreHint: "by the weights you wrote",
    pressureHint: "share of the reward that can teach something now",
    alphaHint: "up or down, between its bounds",
    more: "More charts",
    fewer: "Fewer charts",
    step: "step",
    edited: "rubric edited",
    broken: "broken where the rubric changed",
    brokenMeans:
      "Scores before and after an edit are taken by different rubrics, so the lines are not joined. After it the next evaluation counts.",
    floor: "floor",
    cap: "cap",
    passRateHint: "of the criteria that could teach at the start",
    alphaLater: "α starts at 1 with the first step.",
    noAlpha: "No POW3R arm in this run: α stays 1.",
    waiting: "The first point comes with the base model's score.",
    notMeasured: "Not measured: beta is 0.",
    of: (arm: string) => `of ${arm}`,
  },
  sentence: {
    title: "This step:",
    before:
      "Press Train. In a moment you see which of your wishes can teach this model anything, and which only cost reward.",
    flat: (saturated: number, dead: number, all: number) => {
      const verb = (saturated > 0 ? saturated : dead) === 1 ? "is" : "are";
      const counts = [
        saturated > 0 ? `${String(saturated)} ${verb} saturated` : "",
        dead > 0 ? `${String(dead)} ${saturated > 0 ? "" : `${verb} `}dead` : "",
      ];
      return `of ${String(all)} criteria, ${counts.filter(Boolean).join(" and ")} over the latest groups.`;
    },
    noneFlat: (all: number) => `none of the ${String(all)} criteria is dead or saturated.`,
    hold: "They hold",
    ofArm: (arm: string) => `of the ${arm} reward`,
    ofWeights: "of your weights",
    and: "and",
    early: (unseen: number, all: number) =>
      `${String(unseen)} of ${String(all)} criteria are still too little seen to judge.`,
    strongest: (criterion: string) => `“${criterion}” set the answers apart most.`,
    misled: (criterion: string, rate: string) =>
      `“${criterion}” set them apart most, but by judge errors: without those, ${rate} of the answers meet it.`,
    strongestTrue: (criterion: string) => `Errors aside, it was “${criterion}”.`,
    paysMost: (arm: string) => `The ${arm} reward pays most for what every answer does already.`,
    noSignal: {
      "all-truncated":
        "the length limit cut off every answer, and such answers are left out of the loss: nothing was learned.",
      "not-judged":
        "no answer could be judged, so there was nothing to learn from. Criteria without a check have no verdicts.",
      "one-scored": "only one answer could be scored, so there was nothing to compare it with.",
      "verdicts-equal":
        "all answers got the same verdicts, so all rewards are equal, every advantage is 0, and nothing was learned.",
      "rewards-equal":
        "the answers differed, but all earned the same reward: every advantage is 0, and nothing was learned.",
    },
  },
  rollouts: {
    title: "Rollouts",
    hint: (count: number, arm: string) =>
      `${String(count)} answers to one prompt; best, middle and worst of the ${arm} arm`,
    none: "No answers yet: they appear with the first step.",
    notKept: "The answers of that step were not kept.",
    arm: "Arm",
    more: (count: number) => `${String(count)} more`,
    showAll: (count: number) => `Show all ${String(count)}`,
    showThree: "Show three",
    matrix: "Verdict matrix",
    cards: "Answers",
    follow: "Follow this prompt",
    unfollow: "Stop following",
    followed: "Followed through training",
    followedHint: "its best answer at each evaluation, by arm",
    followWaits: "The next evaluation brings its answers.",
    prompt: "Prompt",
    step: (step: number) => `step ${String(step)}`,
    newest: "Newest",
    earlier: "Earlier step",
    later: "Later step",
    ranking: ["best", "middle", "worst"] as readonly string[],
    answer: (n: number) => `answer ${String(n)}`,
    parts: "reward by category",
    flipped: "turned round by judge noise",
    squares: "A square a criterion, in the rubric's order:",
    cut: "cut at the length limit",
    key: { less: "less likely", more: "likelier" },
    met: "met",
    notMet: "not met",
    partly: "partly met",
    noVerdict: "no verdict",
    nothing: "(empty answer)",
    change: (value: string) => `log p ${value}`,
  },
  ask: enAsk,
  setUp: enSetUp,
  saved: enSaved,
  story: {
    title: "Story",
    sample: (arm: string) => `What answers of the ${arm} arm did with it`,
    now: (arm: string, rate: string) => `${arm}: ${rate} of the newest answers meet it.`,
    passing: "meets it",
    failing: "does not",
    none: "No such answer in the newest group.",
    passRate: "pass rate",
    variance: "variance",
    varianceMeans: "v = mean of (s − p)² inside a group; 0.25 at most for yes-or-no verdicts.",
    edit: "Edit",
    reason: "Why this state",
    before: "The first step brings its story.",
  },
  judge: {
    open: "Judge",
    choose: "Choose a judge",
    ready: "A judge reads the criteria that no program checks.",
    needed: (count: number) =>
      count === 1
        ? "One criterion needs a judge: until there is one it has no verdict."
        : `${String(count)} criteria need a judge: until there is one they have no verdict.`,
    silent: (calls: number, reason: string) => `No reply to the last ${String(calls)} calls: ${reason}`,
    counts: (of: {
      calls: number;
      open: number;
      tokens: number;
      verdicts: number;
      cached: number;
      missing: number;
    }) =>
      `The judge: ${[
        ...(of.calls === 0 ? [] : [`${String(of.calls)} calls`, `${of.tokens.toLocaleString("en")} tokens`]),
        ...(of.open === 0 ? [] : [`${String(of.open)} open`]),
        `${String(of.verdicts)} verdicts`,
        `${String(of.cached)} remembered`,
        `${String(of.missing)} missing`,
      ].join(" · ")}`,
  },
  faults: enFaults,
};

/** What every language module holds. */
export type Text = typeof en;
