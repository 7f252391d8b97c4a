/** How each event of the worker changes the page's state. Pure but for the run buffer that takes the rows. */
import type { ArmStep, RolloutGroup, SeedRow } from "../../domain/run/records.ts";
import { plannedVersions, versionAt } from "../../domain/run/rubric-versions.ts";
import type { Progress, WorkerEvent } from "../protocol/messages.ts";
import type { RunState } from "../protocol/run-machine.ts";
import type { AppState } from "./app-state.ts";
import type { RunBuffer } from "./run-buffer.ts";

/** The newest step of each arm of a seed after more rows came. */
export function latestSteps(
  before: Readonly<Record<string, ArmStep>>,
  rows: readonly SeedRow[],
  seed: number,
): Readonly<Record<string, ArmStep>> {
  const after: Record<string, ArmStep> = { ...before };
  for (const row of rows) if (row.kind === "step" && row.seed === seed) after[row.arm] = row;
  return after;
}

/** Groups by arm; arms without news keep theirs. */
export function groupsByArm(
  before: Readonly<Record<string, readonly RolloutGroup[]>>,
  groups: readonly RolloutGroup[],
): Readonly<Record<string, readonly RolloutGroup[]>> {
  const news: Record<string, RolloutGroup[]> = {};
  for (const group of groups) (news[group.arm] ??= []).push(group);
  return { ...before, ...news };
}

/** A run that repeats a file's edits shows each when its time has come, unless a person has edited since. */
function plannedTurn(state: AppState, step: number): Partial<AppState> {
  const { spec, rubric } = state;
  if (spec === null || spec.rubricEdits.length === 0) return {};
  const planned = plannedVersions(spec);
  const shown = planned.findIndex((each) => JSON.stringify(each.rubric) === JSON.stringify(rubric));
  const due = versionAt(planned, step + 1);
  return due === undefined || shown === -1 || due.version <= shown + 1 ? {} : { rubric: due.rubric };
}

/** What one training answer of one arm takes at this speed. */
function answerMs({ spec, seeds, msPerAnswer }: AppState, stepsPerSecond: number | null): number | null {
  if (spec === null || stepsPerSecond === null || stepsPerSecond === 0) return msPerAnswer;
  const answers = spec.grpo.prompts_per_step * spec.grpo.num_generations;
  return 1000 / (stepsPerSecond * seeds.length * spec.arms.length * answers);
}

function onRows(state: AppState, rows: readonly SeedRow[], stepsPerSecond: number | null): Partial<AppState> {
  const latest = latestSteps(state.latest, rows, state.focusSeed);
  const step = Math.max(0, ...Object.values(latest).map((row) => row.step));
  // an edit that a pause overtook counts earlier than was said
  const edit = rows.findLast((row) => row.kind === "rubric");
  const fromStep = state.editFromStep === null ? null : (edit?.step ?? state.editFromStep);
  const waits = fromStep !== null && step < fromStep;
  return {
    rowsVersion: state.rowsVersion + 1,
    latest,
    stepsPerSecond: stepsPerSecond ?? state.stepsPerSecond,
    msPerAnswer: answerMs(state, stepsPerSecond),
    editFromStep: waits ? fromStep : null,
    ...plannedTurn(state, step),
  };
}

/** Evaluations come in between: the time left of the training is kept through them. */
function onProgress(progress: Progress | null): Partial<AppState> {
  if (progress === null) return { progress, trainLeftMs: null };
  return progress.phase === "train" ? { progress, trainLeftMs: progress.leftMs } : { progress };
}

/** Those of an earlier step, or of the seed looked at before, are no news. */
function onRollouts(
  state: AppState,
  { seed, groups }: Extract<WorkerEvent, { kind: "rollouts" }>,
): Partial<AppState> {
  const shown = state.rolloutStep === null && seed === state.focusSeed;
  return shown ? { groups: groupsByArm(state.groups, groups) } : {};
}

/** A restored run brings its followed prompt along while it stands paused. */
function onPinned(
  state: AppState,
  { seed, groups }: Extract<WorkerEvent, { kind: "pinned" }>,
): Partial<AppState> {
  if (seed !== state.focusSeed) return {};
  const restored = state.run.phase === "paused" ? (groups[0]?.promptId ?? null) : null;
  const pinnedPromptId = state.pinnedPromptId ?? restored;
  const news = groups.filter((group) => group.promptId === pinnedPromptId);
  return { pinnedPromptId, pinnedGroups: [...state.pinnedGroups, ...news] };
}

function onState(state: AppState, run: RunState): Partial<AppState> {
  if (state.opening !== null) return {}; // the old run's end is not the new one's state
  return run.fault === null ? { run } : { run, fault: run.fault, progress: null };
}

/** The changed part of the state. */
export function onWorkerEvent(state: AppState, event: WorkerEvent, buffer: RunBuffer): Partial<AppState> {
  switch (event.kind) {
    case "progress":
      return onProgress(event.progress);
    case "state":
      return onState(state, event.state);
    case "rows":
      buffer.append(event.rows);
      return onRows(state, event.rows, event.stepsPerSecond);
    case "rollouts":
      buffer.see(event.seed, event.groups, state.versions);
      return onRollouts(state, event);
    case "pinned":
      return onPinned(state, event);
    case "ended":
      return { progress: null, run: { ...state.run, phase: "failed", fault: state.fault } };
    case "judge":
    case "saved":
    case "fault":
    case "chat":
    case "alive":
      return onNews(event);
  }
}

type News = Extract<WorkerEvent, { kind: "judge" | "saved" | "fault" | "alive" | "chat" }>;

function onNews(event: News): Partial<AppState> {
  switch (event.kind) {
    case "judge":
      return { judgeUsages: event.usages };
    case "saved":
      return { lastSavedStep: event.step };
    case "fault":
      return { fault: event.fault };
    case "chat": // for who asked
    case "alive": // for the page's end of the worker
      return {};
  }
}
