/** What the page knows at a moment. Raw rows are not here: they stand in the run buffer, `rowsVersion` tells when it grew. */
import type { FaultMessage } from "../../base/errors.ts";
import type { ExperimentCell } from "../../domain/experiment/experiment-file.ts";
import type { Experiment } from "../../domain/experiment/experiment-schema.ts";
import type { Meanings } from "../../domain/rubric/lint-same-meaning.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
import type { ArmStep, RolloutGroup } from "../../domain/run/records.ts";
import type { RubricVersion } from "../../domain/run/rubric-versions.ts";
import type { ArmSpec, ModelIdentity, RunSpec, ScenarioPrompt, StartAdapter } from "../../domain/run/spec.ts";
import type { ModelChoice, EngineChoice } from "../protocol/model-messages.ts";
import type { ModelInfo, Progress, SavedRun } from "../protocol/messages.ts";
import { NO_USAGES, type JudgeUsages } from "../protocol/judge-messages.ts";
import { initialRunState, type RunState } from "../protocol/run-machine.ts";
import type { Settings } from "./set-up.ts";

/** An opened experiment's file. */
export interface AskedCells {
  readonly experiment: Experiment;
  readonly cells: readonly ExperimentCell[];
  /** The file, as a person knows it. */
  readonly source: string;
}

/** A run that was gone on with, which is never silent. */
export interface WentOn {
  /** The step it stands at. */
  readonly step: number;
  /** Steps that are taken again; null where nobody knows how far it was. */
  readonly again: number | null;
  /** The worker had ended, the model was loaded again, or a person opened a saved run. */
  readonly why: "ended" | "loaded" | "opened";
}

/** An adapter made elsewhere that fresh runs start from. */
export interface ChosenStart {
  readonly start: StartAdapter;
  readonly values: Float32Array;
}

/** A file that was opened as a rubric, before anything is taken of it. */
export interface AskedFile {
  readonly file: Blob;
  readonly name: string;
}

export interface AppState {
  readonly engineChoice: EngineChoice;
  /** Which model is loaded, or being loaded; may hold a token, so it is never kept or shown. */
  readonly modelChoice: ModelChoice;
  readonly model: ModelInfo | null;
  /** That of a run or of settings which could not be opened without it; null once a model was loaded. */
  readonly wantedModel: ModelIdentity | null;
  readonly run: RunState;
  /** The run in the worker; null until one was made. */
  readonly spec: RunSpec | null;
  /** By which it is kept; null until one was made. */
  readonly runId: string | null;
  /** From where the run went on, until it is dismissed; null for a fresh one. */
  readonly wentOn: WentOn | null;
  /** Its seeds, the specification's own first. */
  readonly seeds: readonly number[];
  readonly progress: Progress | null;
  /** Time left of the training alone, through the evaluations in between. */
  readonly trainLeftMs: number | null;
  readonly stepsPerSecond: number | null;
  /** Milliseconds that one training answer of one arm took here last, evaluations included; null before it was measured. */
  readonly msPerAnswer: number | null;
  /** The newest fault of a request or of the worker, until it is dismissed. */
  readonly fault: FaultMessage | null;
  /** What was wrong with something kept from an earlier visit, or why nothing can be kept, until it is dismissed. */
  readonly keptFault: FaultMessage | null;

  /** What a run is being made of, while the old one is still on show; null when none is. */
  readonly opening: { readonly scenarioId: string; readonly setUpId: string } | null;
  readonly scenarioId: string;
  readonly setUpId: string;
  readonly settings: Settings;
  /** A person's own prompts in place of the scenario's; null = the scenario's. */
  readonly prompts: readonly ScenarioPrompt[] | null;
  /** What fresh runs start from, its LoRA settings with it; null = a fresh adapter. */
  readonly startAdapter: ChosenStart | null;
  /** What the worker refused to make a run of, to be corrected; null when nothing was. */
  readonly refused: Pick<AppState, "settings" | "prompts"> | null;

  readonly rubric: Rubric;
  /** The versions of the run's rubric, oldest first: rows say which one scored them. */
  readonly versions: readonly RubricVersion[];
  /** Why the rubric on the page cannot be trained on; the run goes on with the last valid one. */
  readonly rubricProblem: string | null;
  readonly undo: readonly Rubric[];
  /** What undoing took back, the newest last; an edit empties it. */
  readonly redo: readonly Rubric[];
  /** What its criteria mean; null where no embedding model is loaded. */
  readonly meanings: Meanings | null;
  /** First step that uses the newest edit; null when nothing waits. */
  readonly editFromStep: number | null;

  /** Grows by one whenever the run buffer changed. */
  readonly rowsVersion: number;
  /** Each arm's newest step of the seed in focus. */
  readonly latest: Readonly<Record<string, ArmStep>>;
  /** Each arm's groups on show, of the seed in focus: the newest, or those of `rolloutStep`. */
  readonly groups: Readonly<Record<string, readonly RolloutGroup[]>>;
  /** null = the newest step is followed. */
  readonly rolloutStep: number | null;
  readonly pinnedPromptId: string | null;
  /** The pinned prompt's groups, oldest first, all arms. */
  readonly pinnedGroups: readonly RolloutGroup[];

  /** The arm whose rates, states and rollouts are shown. */
  readonly focusArm: string;
  /** The seed whose rubric table, rollouts, strips and sentence are shown. */
  readonly focusSeed: number;
  /** The arm that the others are compared with, as it was chosen; null = the static scalar, or the first. */
  readonly reference: string | null;
  /** A held-out score that arms are timed to in place of the reference's final one; null = none. */
  readonly target: number | null;
  readonly hovered: string | null;
  readonly pinnedCriterion: string | null;

  /** True while the sheet of the judges is open. */
  readonly askedJudge: boolean;
  /** What the run's judges were asked and gave. */
  readonly judgeUsages: JudgeUsages;

  /** True once the page's introduction was dismissed. */
  readonly introSeen: boolean;

  /** An experiment's file whose cells a person chooses from; null when none is open. */
  readonly askedCells: AskedCells | null;
  /** A rubric's file on show before it is taken, or the forms to save the rubric in; null when neither is open. */
  readonly askedRubric: AskedFile | "save" | null;

  /** Runs kept in the browser that can be gone on with. */
  readonly savedRuns: readonly SavedRun[];
  readonly lastSavedStep: number | null;
}

type Arm = Pick<ArmSpec, "id" | "rule">;

/** The arm shown at first: POW3R where it runs. */
export function firstFocus(arms: readonly Arm[]): string {
  return (arms.find(({ rule }) => rule === "pow3r") ?? arms[0])?.id ?? "";
}

/** The arm whose alpha is shown: the one in focus where it has one, else the first that has. */
export function alphaArm({ spec, focusArm }: Pick<AppState, "spec" | "focusArm">): ArmSpec | undefined {
  const arms = spec?.arms.filter(({ rule }) => rule === "pow3r") ?? [];
  return arms.find(({ id }) => id === focusArm) ?? arms[0];
}

/** The arm that the others are compared with: the chosen one, else the static scalar, else the first. */
export function referenceArm({ spec, reference }: Pick<AppState, "spec" | "reference">): string {
  const arms = spec?.arms ?? [];
  const chosen = arms.find(({ id }) => id === reference) ?? arms.find(({ rule }) => rule === "static-scalar");
  return (chosen ?? arms[0])?.id ?? "";
}

/** What a fresh run starts from, whatever was shown before. */
export const EMPTY_RUN = {
  opening: null,
  wentOn: null,
  progress: null,
  trainLeftMs: null,
  stepsPerSecond: null,
  editFromStep: null,
  latest: {},
  groups: {},
  rolloutStep: null,
  pinnedPromptId: null,
  pinnedGroups: [],
  lastSavedStep: null,
} as const satisfies Partial<AppState>;

export interface FirstChoice {
  readonly scenarioId: string;
  readonly setUpId: string;
  readonly settings: Settings;
  readonly rubric: Rubric;
  readonly prompts: readonly ScenarioPrompt[] | null;
}

export function firstState(choice: FirstChoice): AppState {
  return {
    ...EMPTY_RUN,
    ...choice,
    engineChoice: "auto",
    modelChoice: { kind: "bundled" },
    model: null,
    wantedModel: null,
    run: initialRunState,
    spec: null,
    runId: null,
    seeds: choice.settings.seeds,
    msPerAnswer: null,
    startAdapter: null,
    fault: null,
    keptFault: null,
    refused: null,
    versions: [],
    rubricProblem: null,
    undo: [],
    redo: [],
    meanings: null,
    rowsVersion: 0,
    focusArm: firstFocus(choice.settings.arms),
    focusSeed: choice.settings.seeds[0] ?? 0,
    reference: null,
    target: null,
    askedCells: null,
    askedRubric: null,
    hovered: null,
    pinnedCriterion: null,
    askedJudge: false,
    judgeUsages: NO_USAGES,
    introSeen: false,
    savedRuns: [],
  };
}
