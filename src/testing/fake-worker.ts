/**
 * A worker without a model for tests and for looking at the page: verdicts are thrown dice whose chances drift, texts
 * are canned. Everything it says is fake; nothing of the product imports it. Rewards, flags and alpha are the domain's own.
 */
import { loraConfigSchema } from "../domain/grpo/config.ts";
import { createRng, type Rng } from "../base/rng.ts";
import type { FaultMessage } from "../base/errors.ts";
import { computeAdvantages } from "../domain/grpo/advantages.ts";
import { rewardRules } from "../domain/reward/registry.ts";
import { alphaFor, initialPow3rState, updateAlpha, type Pow3rState } from "../domain/reward/pow3r-alpha.ts";
import type { RewardRuleDef } from "../domain/reward/reward.ts";
import { checks } from "../domain/rubric/checks/registry.ts";
import { findCheck } from "../domain/rubric/checks/check.ts";
import { criteriaFor } from "../domain/rubric/criteria.ts";
import { extendFlagWindow, type FlagWindow } from "../domain/rubric/flags.ts";
import { withJudgeNoise } from "../domain/rubric/judge-noise.ts";
import type { Criterion, Rubric } from "../domain/rubric/schema.ts";
import type { Verdict, VerdictMatrix } from "../domain/rubric/verdicts.ts";
import { criterionSteps } from "../domain/run/criterion-steps.ts";
import { evaluateAnswers, learningAtStart } from "../domain/run/evaluation.ts";
import {
  rowsOfSeed,
  type ArmStep,
  type Evaluation,
  type RolloutGroup,
  type SeedRow,
} from "../domain/run/records.ts";
import { plannedEditRows, plannedVersions, rubricEditRow } from "../domain/run/rubric-versions.ts";
import { writeSettingsFile } from "../domain/run/settings-file.ts";
import type { ArmSpec, RunSpec, ScenarioPrompt } from "../domain/run/spec.ts";
import type { WorkerPort } from "../app/protocol/client.ts";
import type {
  ModelInfo,
  Params,
  RequestName,
  Result,
  SavedRun,
  ToWorker,
  WorkerEvent,
} from "../app/protocol/messages.ts";
import type { ReadAdapter } from "../app/protocol/adapter-messages.ts";
import type { RunPlan } from "../domain/run/memory-plan.ts";
import type { KeptModelInfo, LocalFile, ModelChoice, ModelReport } from "../app/protocol/model-messages.ts";
import { initialRunState, reduceRun, type RunEvent, type RunState } from "../app/protocol/run-machine.ts";

export interface FakeWorkerOptions {
  /** Milliseconds of a fake step; 0 = as fast as timers go. */
  readonly stepMs?: number;
  /** A fault that loading the model ends with. */
  readonly loadFault?: FaultMessage;
  /** A fault that other requests end with, by their name. */
  readonly faults?: Partial<Record<RequestName, FaultMessage>>;
  readonly savedRuns?: readonly SavedRun[];
  readonly keptModels?: readonly KeptModelInfo[];
}

const FAKE_MODEL: ModelInfo = {
  name: "Fake model (dice, no training)",
  identity: null,
  architecture: "fake",
  parameters: 2_400_000,
  sizeBytes: 4_900_000,
  adapterParameters: 61_000,
  engine: "wasm",
  runsOn: "wasm",
  threads: 2,
  adapter: null,
  reason: "Fake: WASM 1.9 s a step, WebGPU 2.6 s a step; the faster one is used.",
  available: ["wasm"],
};

function fakeIdentity(model: ModelChoice): ModelInfo["identity"] {
  if (model.kind !== "hub") return null;
  const { repo, storage, thinking } = model;
  return { id: repo, revision: "c0ffee", storage, thinking };
}

/** Every file is an adapter, but those of a name that says otherwise. */
function fakeAdapter({ path }: LocalFile): ReadAdapter {
  if (path.includes("bad")) {
    const message = `${path}: expected an adapter, got a bad one. Choose another.`;
    return { name: path, fault: { code: "adapter-refused", message, where: path } };
  }
  const lora = loraConfigSchema.parse({ r: 4, lora_alpha: 8, target_modules: ["q_proj", "v_proj"] });
  const start = { name: path, sha256: "0".repeat(64), baseModel: "someone/model", lora };
  return { start, values: new Float32Array(4), dropout: 0.05 };
}

const FAKE_PLAN: RunPlan = {
  engine: "wasm",
  storage: "f32",
  parts: [{ name: "weights", gpuBytes: 0, cpuBytes: FAKE_MODEL.sizeBytes }],
  gpuBytes: 0,
  cpuBytes: FAKE_MODEL.sizeBytes,
  update: "whole",
  microBatch: 16,
  chunkRows: null,
  fits: true,
  limit: null,
  changes: [],
};

const FAKE_REPORT: ModelReport = {
  name: FAKE_MODEL.name,
  architecture: FAKE_MODEL.architecture,
  parameters: FAKE_MODEL.parameters,
  layers: 1,
  hiddenSize: 8,
  vocabSize: 16,
  downloadBytes: FAKE_MODEL.sizeBytes,
  keptAs: [],
  thinks: false,
  place: { threads: 1, kernelThreads: 1, adapter: null, software: false, cores: 2, isolated: false },
  plans: [FAKE_PLAN],
};

interface FakeArm {
  readonly seed: number;
  readonly spec: ArmSpec;
  alpha: Pow3rState;
  flags: FlagWindow;
  readonly rng: Rng;
}

/** The chance that an answer meets the criterion: flat where its place in the rubric says so, else rising. */
function chance(criterion: Criterion, index: number, step: number, speed: number): number {
  const kind = criterion.weight >= 8 ? index % 2 : index % 5;
  if (criterion.check === null) return Number.NaN;
  if (kind === 0) return 0.996;
  if (kind === 1) return 0.002;
  const start = 0.12 + 0.11 * (index % 6);
  return Math.min(0.97, start + (1 - start) * 0.75 * (1 - Math.exp(-step * speed)));
}

const SENTENCES = [
  "your product should not do that",
  "we will send a new one by Friday",
  "please unplug it until then",
  "we are sorry",
  "we will refund order",
  "maybe it is the seal, or maybe not",
  "thank you so much",
];

export class FakeWorker implements WorkerPort {
  onmessage: WorkerPort["onmessage"] = null;
  onerror: WorkerPort["onerror"] = null;
  readonly requests: ToWorker[] = [];
  readonly #options: FakeWorkerOptions;
  #run: RunState = initialRunState;
  #spec: RunSpec | null = null;
  #seeds: readonly number[] = [];
  #focus = 1;
  #rubric: Rubric = { title: "", criteria: [] };
  #version = 1;
  #arms: FakeArm[] = [];
  #rows: SeedRow[] = [];
  #pinned: string | null = null;
  #learning: string[] = [];
  readonly #kept = new Map<string, readonly RolloutGroup[]>();

  constructor(options: FakeWorkerOptions = {}) {
    this.#options = options;
  }

  terminate(): void {
    this.onmessage = null;
  }

  postMessage(message: ToWorker): void {
    this.requests.push(message);
    setTimeout(() => {
      const { loadFault, faults } = this.#options;
      const fault = message.name === "loadModel" ? loadFault : faults?.[message.name];
      if (fault !== undefined) this.onmessage?.({ data: { kind: "error", id: message.id, fault } });
      else this.onmessage?.({ data: { kind: "result", id: message.id, result: this.#answer(message) } });
    }, 0);
  }

  #emit(event: WorkerEvent): void {
    this.onmessage?.({ data: { kind: "event", event } });
  }

  #dispatch(event: RunEvent): void {
    this.#run = reduceRun(this.#run, event);
    this.#emit({ kind: "state", state: this.#run });
  }

  #answer(message: ToWorker): Result<RequestName> {
    const handle = this.#handlers[message.name] as (params: ToWorker["params"]) => Result<RequestName>;
    return handle(message.params);
  }

  readonly #handlers: { readonly [Name in RequestName]: (params: Params<Name>) => Result<Name> } = {
    loadModel: ({ model = { kind: "bundled" } }) => ({ ...FAKE_MODEL, identity: fakeIdentity(model) }),
    cancelLoad: () => ({}),
    loadEmbedder: ({ source }) => ({ loaded: source !== null }),
    embedTexts: ({ texts }) => ({ by: "a fake model", vectors: texts.map(() => Float32Array.of(1)) }),
    setJudgeKey: () => ({}),
    setJudgeBudget: () => ({}),
    loadJudgeModel: ({ model }) => ({ name: model === null ? null : "Fake judge" }),
    tryJudge: (params) => {
      const judged = this.#judge(params);
      return { judged, checked: judged.map(() => null) };
    },
    compareJudge: () => ({ compared: [] }),
    stopJudgeTrial: () => ({}),
    judgeMemory: () => ({ keptBytes: null }),
    forgetVerdicts: () => ({}),
    inspectModel: () => FAKE_REPORT,
    listModelFiles: () => ({ files: [] }),
    listKeptModels: () => ({ models: this.#options.keptModels ?? [] }),
    deleteKeptModel: () => ({}),
    forecastStep: () => ({ plan: FAKE_PLAN, stepMs: null }),
    promptTokens: ({ messages }) => ({
      pieces: messages.map(({ content }, id) => ({ id, text: content })),
    }),
    createRun: (params) => this.#create(params),
    train: () => this.#start(Number.POSITIVE_INFINITY),
    step: () => this.#start(1),
    pause: () => this.#does({ type: "pause" }),
    stop: () => this.#does({ type: "stop" }),
    editRubric: (params) => this.#edit(params),
    pinPrompt: ({ promptId }) => {
      this.#pinned = promptId;
      return {};
    },
    tryRubric: (params) => ({ judgements: this.#judge(params) }),
    readAdapters: ({ files }) => ({ adapters: files.map(fakeAdapter) }),
    chat: ({ chats }) => ({
      answers: chats.map(({ arm }) => ({
        arm,
        text: `A fake answer of ${arm ?? "the base"}.`,
        end: "finished",
      })),
    }),
    stopChat: () => ({}),
    rollouts: ({ seed, arm, step }) => ({
      groups: this.#kept.get(`${String(seed)}/${arm}/${String(step)}`) ?? [],
    }),
    focusSeed: ({ seed }) => this.#focusOn(seed),
    listRuns: () => ({ place: "files", runs: this.#options.savedRuns ?? [] }),
    saveRun: () => ({}),
    scaleLearningRate: () => ({}),
    resumeRun: ({ id }) => this.#resume(id),
    deleteRun: () => ({}),
    exportRows: () => ({ rows: this.#rows }),
    exportAdapters: () => ({ zip: Uint8Array.from([0x50, 0x4b]) }),
    exportRun: () => ({ zip: Uint8Array.from([0x50, 0x4b]) }),
    exportMerged: ({ dtype }) => ({ zip: new Blob(["PK"]), dtype: dtype ?? "F32" }),
    exportSettings: () => ({
      text:
        this.#spec === null
          ? ""
          : writeSettingsFile({ model: FAKE_MODEL.name, spec: this.#spec, seeds: this.#seeds }),
    }),
  };

  #does(event: RunEvent): Record<string, never> {
    this.#dispatch(event);
    return {};
  }

  #start(steps: number): Record<string, never> {
    this.#dispatch({ type: "start" });
    this.#loop(steps);
    return {};
  }

  #focusOn(seed: number): Result<"focusSeed"> {
    this.#focus = seed;
    const step = String(this.#run.step);
    const groups = this.#arms.flatMap(
      (arm) => this.#kept.get(`${String(seed)}/${arm.spec.id}/${step}`) ?? [],
    );
    return { groups, pinned: [] };
  }

  #create({ spec, seeds }: Params<"createRun">): Result<"createRun"> {
    this.#seeds = seeds;
    this.#focus = spec.seed;
    this.#spec = spec;
    this.#rubric = spec.rubric;
    this.#version = 1;
    this.#rows = seeds.flatMap((seed) => rowsOfSeed(seed, plannedEditRows(spec)));
    this.#kept.clear();
    this.#arms = seeds.flatMap((seed) =>
      spec.arms.map((arm) => ({
        seed,
        spec: arm,
        alpha: initialPow3rState(),
        flags: {},
        rng: createRng(seed, "fake", arm.id),
      })),
    );
    this.#run = { phase: "idle", step: 0, maxSteps: spec.grpo.max_steps, fault: null };
    this.#emit({ kind: "state", state: this.#run });
    return { runId: "fake" };
  }

  #resume(id: string): Result<"resumeRun"> {
    const saved = this.#options.savedRuns?.find((run) => run.id === id);
    if (saved === undefined) throw new Error("no such fake run");
    const seeds = saved.seeds ?? [saved.spec.seed];
    this.#create({ spec: saved.spec, seeds });
    while (this.#run.step < saved.step) this.#rows.push(...this.#makeStep(this.#run.step + 1));
    this.#run = { ...this.#run, phase: "paused" };
    this.#emit({ kind: "state", state: this.#run });
    const { spec, step } = saved;
    return {
      runId: id,
      spec,
      seeds,
      rubric: spec.rubric,
      versions: plannedVersions(spec),
      start: null,
      rows: this.#rows,
      step,
    };
  }

  #edit({ rubric }: Params<"editRubric">): Result<"editRubric"> {
    const step = this.#run.step + 1;
    const row = rubricEditRow(this.#rubric, { version: ++this.#version, fromStep: step, rubric });
    this.#rubric = rubric;
    const rows = this.#seeds.flatMap((seed) => rowsOfSeed(seed, [row]));
    this.#rows.push(...rows);
    this.#emit({ kind: "rows", rows, stepsPerSecond: null });
    return { rubricVersion: this.#version, fromStep: step };
  }

  #judge({ rubric, promptId, answer }: Params<"tryRubric">): Result<"tryRubric">["judgements"] {
    const prompt = this.#spec?.trainPrompts.find((known) => known.id === promptId);
    const facts = { text: prompt?.messages.at(-1)?.content ?? "", fields: prompt?.fields ?? {} };
    return rubric.criteria.map(({ check }) => {
      const def = check === null ? undefined : findCheck(checks, check.type);
      if (check === null || def === undefined) return { verdict: null, reason: "no check", spans: [] };
      if ("ask" in def) return { verdict: null, reason: "asks something that is not here", spans: [] };
      return def.judge({ text: answer, ended: true }, def.args.parse(check.args), facts);
    });
  }

  #loop(steps: number): void {
    if (this.#run.step === 0 && this.#rows.every((row) => row.kind === "rubric")) this.#evaluate(0);
    if (this.#run.phase !== "running" || steps === 0 || this.#run.step >= this.#run.maxSteps) {
      this.#emit({ kind: "progress", progress: null });
      this.#dispatch({ type: "halted" });
      return;
    }
    setTimeout(() => {
      const rows = this.#makeStep(this.#run.step + 1);
      this.#rows.push(...rows);
      this.#emit({ kind: "rows", rows, stepsPerSecond: 1.8 });
      const left = this.#run.maxSteps - this.#run.step;
      this.#emit({
        kind: "progress",
        progress: {
          phase: "train",
          done: this.#run.step,
          total: this.#run.maxSteps,
          unit: "steps",
          leftMs: left * 550,
        },
      });
      this.#loop(steps - 1);
    }, this.#options.stepMs ?? 0);
  }

  #evaluate(step: number): void {
    const spec = this.#spec;
    if (spec === null) return;
    const { criteria } = this.#rubric;
    const rows = this.#arms.flatMap((arm): SeedRow[] => {
      const verdicts = this.#throw(arm, step, spec.evaluationSamples);
      if (step === 0) this.#learning = learningAtStart(criteria, verdicts);
      const row: Evaluation = evaluateAnswers({
        arm: arm.spec.id,
        step,
        rubricVersion: this.#version,
        criteria,
        verdicts,
        promptIds: verdicts.map((_, i) => spec.heldOutPrompts[i % spec.heldOutPrompts.length]?.id ?? ""),
        lengths: verdicts.map(() => 30 + arm.rng.below(20)),
        learning: this.#learning,
      });
      return rowsOfSeed(arm.seed, [row]);
    });
    this.#rows.push(...rows);
    this.#emit({ kind: "rows", rows, stepsPerSecond: null });
    const prompt = spec.trainPrompts.find((known) => known.id === this.#pinned);
    if (prompt === undefined) return;
    const focused = this.#arms.filter(({ seed }) => seed === this.#focus);
    const groups = focused.map((arm) => this.#group(arm, step, prompt, this.#throw(arm, step, 4)));
    this.#emit({ kind: "pinned", seed: this.#focus, groups });
  }

  /** [G][C] dice. */
  #throw(arm: FakeArm, step: number, count: number): VerdictMatrix {
    const speed = arm.spec.rule === "pow3r" ? 0.045 : 0.028;
    return Array.from({ length: count }, () =>
      this.#rubric.criteria.map((criterion, j): Verdict => {
        const p = chance(criterion, j, step, speed);
        return Number.isNaN(p) ? null : arm.rng.next() < p ? 1 : 0;
      }),
    );
  }

  #group(arm: FakeArm, step: number, prompt: ScenarioPrompt, before: VerdictMatrix): RolloutGroup {
    const spec = this.#spec;
    const { criteria } = this.#rubric;
    const noise = spec?.judgeNoise ?? 0;
    const verdicts = withJudgeNoise(before, criteria, noise, { seed: spec?.seed ?? 1, step, promptIndex: 0 });
    const rule: RewardRuleDef = rewardRules[arm.spec.rule];
    const alpha = alphaFor(arm.alpha, "scenario", criteria);
    const rewards = verdicts.map((row) => rule.reward({ criteria, verdicts: row, alpha }));
    const [scored] = computeAdvantages([rewards.map((reward) => reward.total)], {
      scale_rewards: "group",
      zero_spread_tolerance: 1e-6,
    });
    return {
      arm: arm.spec.id,
      step,
      promptId: prompt.id,
      promptText: prompt.messages.at(-1)?.content ?? "",
      criterionIds: criteria.map((criterion) => criterion.id),
      rewardMean: scored?.mean ?? null,
      rewardStd: scored?.std ?? null,
      rollouts: verdicts.map((row, i) => {
        const advantage = scored?.advantages[i] ?? 0;
        const name = prompt.fields["name"] ?? "friend";
        const pieces = [`Dear ${name},`, ...SENTENCES.filter(() => arm.rng.next() < 0.5), "Kind regards."];
        const text = pieces.join(" ");
        const tokens = text.split(/(?<= )/).map((piece) => {
          const logProb = -2 * arm.rng.next();
          return { text: piece, logProb, logProbAfter: logProb + advantage * 0.2 * arm.rng.next() };
        });
        const reasons = row.map((verdict) => (verdict === 1 ? "fake: found" : "fake: not found"));
        const reward = rewards[i];
        return {
          text,
          ended: i % 7 !== 6,
          tokens,
          verdicts: row,
          verdictsBeforeNoise: before[i] ?? [],
          reasons,
          reward: reward?.total ?? null,
          parts: reward?.parts ?? {},
          advantage,
        };
      }),
    };
  }

  /** One fake step of every arm; also shows its rollouts and evaluates when it is time. */
  #makeStep(step: number): readonly SeedRow[] {
    const spec = this.#spec;
    const prompt = spec?.trainPrompts[step % spec.trainPrompts.length];
    if (spec === null || prompt === undefined) return [];
    const { criteria } = this.#rubric;
    const groups: RolloutGroup[] = [];
    const rows = this.#arms.flatMap((arm): SeedRow[] => {
      const before = this.#throw(arm, step, spec.grpo.num_generations);
      const group = this.#group(arm, step, prompt, before);
      const verdicts = group.rollouts.map((rollout) => rollout.verdicts);
      const alpha =
        arm.spec.rule === "pow3r" ? alphaFor(arm.alpha, "scenario", criteria) : criteria.map(() => 1);
      arm.flags = extendFlagWindow(arm.flags, criteria, [verdicts], spec.judgeNoise);
      const stepRows = criterionSteps({
        rule: arm.spec.rule,
        criteria,
        groups: [
          { criteria: criteriaFor(criteria, prompt.id), verdicts, verdictsBeforeNoise: before, alpha },
        ],
        flags: arm.flags,
        judgeNoise: spec.judgeNoise,
      });
      arm.alpha = updateAlpha(arm.alpha, [{ scopeKey: "scenario", verdicts }], criteria, {
        ...arm.spec.pow3r,
        alpha_update: "step",
      });
      if (arm.seed === this.#focus) groups.push(group);
      this.#kept.set(`${String(arm.seed)}/${arm.spec.id}/${String(step)}`, [group]);
      const row: ArmStep = {
        kind: "step",
        arm: arm.spec.id,
        step,
        rubricVersion: this.#version,
        promptIds: [prompt.id],
        metrics: {
          reward: group.rewardMean,
          reward_std: group.rewardStd,
          kl: null,
          entropy: 1.4 * Math.exp(-step / 90) + 0.05 * arm.rng.next(),
          "completions/mean_length": 38 + 4 * arm.rng.next(),
          grad_norm: 0.4 + 0.3 * arm.rng.next(),
        },
        criteria: stepRows,
        teachingShare: stepRows.reduce((sum, row) => sum + (row.state === "learning" ? row.pressure : 0), 0),
        zeroSignal: group.rollouts.every((rollout) => rollout.advantage === 0),
      };
      return rowsOfSeed(arm.seed, [row]);
    });
    this.#emit({ kind: "rollouts", seed: this.#focus, groups });
    this.#dispatch({ type: "stepped", step });
    if (this.#run.step < step) this.#run = { ...this.#run, step };
    if (step % spec.evaluateEvery === 0 || step === spec.grpo.max_steps) this.#evaluate(step);
    return rows;
  }
}
