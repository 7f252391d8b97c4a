/**
 * The life of the worker's one run: made or restored, trained, paused, edited, saved. Phases follow the protocol's
 * reducer; numbers come from the trainer. Everything it needs is an argument, so it runs the same under test.
 */
import { PlaygroundError, toFaultMessage, type FaultMessage } from "../../base/errors.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
import type { RolloutGroup } from "../../domain/run/records.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import { isAborted } from "../../training/abort.ts";
import { checkFitsPolicy, openRecord, sealRecord } from "../../training/checkpoints.ts";
import type { TrainingDeps } from "../../training/deps.ts";
import { createRunRecord, rubricAt, type RunRecord } from "../../training/run-record.ts";
import { Trainer } from "../../training/trainer.ts";
import type { Result, WorkerEvent } from "../protocol/messages.ts";
import {
  accepts,
  initialRunState,
  reduceRun,
  type RunEvent,
  type RunState,
} from "../protocol/run-machine.ts";
import type { Lock } from "./lock.ts";
import type { ClaimRun } from "./run-claims.ts";
import { createRolloutShelf } from "./rollout-shelf.ts";
import { createRowBatcher, type RowBatcher } from "./row-batcher.ts";
import type { RunStore } from "./run-store.ts";
import { createProgress } from "./time-left.ts";

/** Between two measurements of the newest rollouts after their update, while training runs. */
const MEASURE_EVERY_MS = 2000;

export interface RunSessionDeps {
  /** Refuses what the loaded model cannot train on. @throws PlaygroundError, also `run-state` before a model is loaded. */
  readonly check: (spec: RunSpec) => void;
  /** The loaded model's policy for a checked specification. */
  readonly training: (spec: RunSpec) => Promise<TrainingDeps>;
  readonly store: RunStore;
  readonly lock: Lock;
  readonly emit: (event: WorkerEvent) => void;
  /** Milliseconds; only differences are used. */
  readonly now: () => number;
  /** Milliseconds since 1970, for "saved at". */
  readonly wallClock: () => number;
  readonly schedule: (callback: () => void, delayMs: number) => void;
  readonly newId: () => string;
  readonly claimRun: ClaimRun;
}

/** The run that this tab alone may write. */
interface Claim {
  readonly id: string;
  readonly release: () => void;
}

/** The drive of the present command: training until something ends it. */
interface Drive {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export class RunSession {
  readonly #deps: RunSessionDeps;
  readonly #batcher: RowBatcher;
  readonly #shelf = createRolloutShelf();
  #state: RunState = initialRunState;
  #trainer: Trainer | null = null;
  #drive: Drive | null = null;
  #claim: Claim | null = null;
  #measuredAt = Number.NEGATIVE_INFINITY;

  constructor(deps: RunSessionDeps) {
    this.#deps = deps;
    this.#batcher = createRowBatcher(deps.emit, deps.now, deps.schedule);
  }

  get state(): RunState {
    return this.#state;
  }

  /** The run at its last finished step; null without one. */
  get record(): RunRecord | null {
    return this.#trainer?.record ?? null;
  }

  /** A fresh run in place of the present one; when it is refused, the present one stays as it is. */
  create(spec: RunSpec): Promise<{ runId: string }> {
    return this.#opening("a new run", async () => {
      this.#deps.check(spec);
      const id = this.#deps.newId();
      await this.#replace(id, spec, ({ policy }) => createRunRecord(id, spec, policy));
      return { runId: id };
    });
  }

  /** A saved run in place of the present one; when it is refused, the present one stays as it is. */
  resume(id: string): Promise<Result<"resumeRun">> {
    const where = `saved run ${id}`;
    return this.#opening(where, () => this.#resume(id, where));
  }

  async #resume(id: string, where: string): Promise<Result<"resumeRun">> {
    const bytes = await this.#deps.store.load(id);
    if (bytes === null) throw noSuchRun(where);
    const saved = openRecord(bytes, where);
    this.#deps.check(saved.spec);
    const record = await this.#replace(id, saved.spec, ({ policy }) => {
      checkFitsPolicy(saved, policy.adapterSize, where);
      return saved;
    });
    const { pinned, spec, rows, step } = record;
    // after the answer, so that the page has made room for them
    if (pinned.length > 0)
      this.#deps.schedule(() => {
        this.#deps.emit({ kind: "pinned", groups: pinned });
      }, 0);
    return { spec, rubric: rubricAt(record, step + 1).rubric, versions: record.rubrics, rows, step };
  }

  /** Trains in the background until max_steps, pause or stop, or for so many steps. */
  start(steps = Number.POSITIVE_INFINITY): void {
    const trainer = this.#opened;
    if (!accepts(this.#state, "start")) throw cannot("train", this.#state);
    this.#dispatch({ type: "start" });
    const controller = new AbortController();
    const before = this.#drive?.ended ?? Promise.resolve(); // it may still be saving
    this.#drive = { controller, ended: before.then(() => this.#run(trainer, steps, controller.signal)) };
  }

  /** Ends within one decoding chunk. */
  async pause(): Promise<void> {
    this.#dispatch({ type: "pause" });
    await this.#halt();
  }

  async stop(): Promise<void> {
    this.#dispatch({ type: "stop" });
    await this.#halt();
  }

  /** Ends the run's work and forgets the run; what was saved stays. */
  async discard(): Promise<void> {
    await this.#halt();
    this.#trainer = null;
    this.#batcher.clear();
    this.#shelf.clear();
    this.#claim?.release();
    this.#claim = null;
  }

  /** Shows a model being loaded, and that it could not be. */
  announce(event: Extract<RunEvent, { type: "load" | "fail" }>): void {
    this.#dispatch(event);
  }

  editRubric(rubric: Rubric): { rubricVersion: number; fromStep: number } {
    const { version, row } = this.#opened.editRubric(rubric);
    this.#batcher.addRows([row]);
    return { rubricVersion: version.version, fromStep: version.fromStep };
  }

  pinPrompt(promptId: string | null): void {
    this.#opened.pinPrompt(promptId);
  }

  /** Groups of a step that are still there; empty when they were not kept. */
  rollouts(arm: string, step: number): readonly RolloutGroup[] {
    const kept = this.#shelf.find(arm, step);
    if (kept.length > 0) return kept;
    return this.record?.newest.filter((group) => group.arm === arm && group.step === step) ?? [];
  }

  get #opened(): Trainer {
    if (this.#trainer === null) throw noRun();
    return this.#trainer;
  }

  /** Where opening a run fails and there is none before it, the session says that it stands failed. */
  async #opening<T>(where: string, open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      if (this.#trainer === null) this.#dispatch({ type: "fail", fault: toFaultMessage(error, where) });
      throw error;
    }
  }

  /** Ends the present run and opens another. */
  async #replace(id: string, spec: RunSpec, open: (training: TrainingDeps) => RunRecord): Promise<RunRecord> {
    const claim = await this.#claimOn(id);
    try {
      await this.discard();
      const training = await this.#deps.training(spec);
      this.#trainer = new Trainer(training, open(training));
    } catch (error) {
      claim.release();
      throw error;
    }
    this.#claim = claim;
    this.#measuredAt = Number.NEGATIVE_INFINITY;
    const { record } = this.#trainer;
    this.#dispatch({ type: "ready", step: record.step, maxSteps: record.spec.grpo.max_steps });
    return record;
  }

  /** The claim on a run; the one in hand is taken over. */
  async #claimOn(id: string): Promise<Claim> {
    const held = this.#claim;
    if (held?.id !== id) return { id, release: await this.#deps.claimRun(id) };
    this.#claim = null;
    return held;
  }

  async #halt(): Promise<void> {
    const drive = this.#drive;
    drive?.controller.abort();
    await drive?.ended;
    if (this.#drive === drive) this.#drive = null; // else it was sent on while the last step was being saved
  }

  async #run(trainer: Trainer, steps: number, signal: AbortSignal): Promise<void> {
    let fault: FaultMessage | null = null;
    try {
      await this.#advance(trainer, steps, signal);
    } catch (error) {
      if (!isAborted(error)) fault = toFaultMessage(error, `step ${trainer.record.step + 1}`);
    }
    this.#batcher.flush();
    this.#deps.emit({ kind: "progress", progress: null });
    this.#dispatch(fault === null ? { type: "halted" } : { type: "fail", fault });
    if (fault === null) await this.#measure(trainer);
    await this.#save(trainer.record);
  }

  async #advance(trainer: Trainer, steps: number, signal: AbortSignal): Promise<void> {
    const { now, lock, emit } = this.#deps;
    const progress = createProgress("train", "steps", now);
    const startedAt = now();
    const first = trainer.record.step;
    const last = Math.min(trainer.record.spec.grpo.max_steps, first + steps);
    if (first > 0) await lock(() => this.#evaluate(trainer, signal)); // of a fresh run a person sees a step first
    while (trainer.record.step < last) {
      emit({ kind: "progress", progress: progress(trainer.record.step, last) });
      await lock(() => this.#step(trainer, signal));
      const { step, spec } = trainer.record;
      this.#batcher.setSpeed((1000 * (step - first)) / Math.max(1, now() - startedAt));
      await lock(() => this.#evaluate(trainer, signal));
      if (step % spec.saveEvery === 0) await this.#save(trainer.record);
    }
  }

  async #step(trainer: Trainer, signal: AbortSignal): Promise<void> {
    const { rows, groups } = await trainer.step(signal).catch((error: unknown) => {
      this.#batcher.addRows(trainer.movedEdits);
      throw error;
    });
    this.#batcher.addRows(rows);
    this.#show(groups);
    this.#dispatch({ type: "stepped", step: trainer.record.step });
    const { now } = this.#deps;
    if (now() - this.#measuredAt < MEASURE_EVERY_MS) return;
    this.#measuredAt = now();
    this.#show(await trainer.measureNewest());
  }

  async #evaluate(trainer: Trainer, signal: AbortSignal): Promise<void> {
    const { now, emit } = this.#deps;
    while (trainer.evaluationDue) {
      const progress = createProgress("evaluate", "samples", now);
      const { rows, groups } = await trainer.evaluate({
        signal,
        onProgress: (done, total) => {
          emit({ kind: "progress", progress: progress(done, total) });
        },
      });
      this.#batcher.addRows(rows);
      if (groups.length > 0) emit({ kind: "pinned", groups });
    }
  }

  /** Fills in the log-probabilities after the update of what the page looks at now. */
  async #measure(trainer: Trainer): Promise<void> {
    if (trainer.record.newest.length === 0) return;
    try {
      this.#show(await this.#deps.lock(() => trainer.measureNewest()));
      this.#batcher.flush();
    } catch (error) {
      this.#deps.emit({ kind: "fault", fault: toFaultMessage(error, "measuring the newest rollouts") });
    }
  }

  #show(groups: readonly RolloutGroup[]): void {
    this.#shelf.put(groups);
    this.#batcher.setRollouts(groups);
  }

  /** A run that cannot be saved goes on, and says so. Nothing is kept of one that has learned nothing yet. */
  async #save(record: RunRecord): Promise<void> {
    const { id, spec, step } = record;
    if (step === 0) return;
    try {
      const bytes = sealRecord(record);
      const savedAt = this.#deps.wallClock();
      const about = { id, scenarioId: spec.scenarioId, savedAt, step, maxSteps: spec.grpo.max_steps, spec };
      await this.#deps.store.save({ ...about, sizeBytes: bytes.length, bytes });
      this.#deps.emit({ kind: "saved", id, step });
    } catch (error) {
      this.#deps.emit({ kind: "fault", fault: toFaultMessage(error, "saving the run") });
    }
  }

  #dispatch(event: RunEvent): void {
    const next = reduceRun(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    this.#deps.emit({ kind: "state", state: next });
  }
}

function noRun(): PlaygroundError {
  return new PlaygroundError({
    code: "run-state",
    where: "run",
    expected: "a run",
    got: "none",
    next: "Make one first.",
  });
}

function cannot(what: string, state: RunState): PlaygroundError {
  return new PlaygroundError({
    code: "run-state",
    where: what,
    expected: "a run that stands still and is not over",
    got: `one that is ${state.phase}`,
    next: "Pause it, or reset it.",
  });
}

function noSuchRun(where: string): PlaygroundError {
  return new PlaygroundError({
    code: "record-invalid",
    where,
    expected: "a run kept in this browser",
    got: "none",
    next: "Start a new run.",
  });
}
