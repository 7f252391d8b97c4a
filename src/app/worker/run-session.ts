/**
 * The life of the worker's one run, of one seed or several: made or restored, trained, paused, edited, saved. Phases follow
 * the protocol's reducer; numbers come from the trainer. Everything it needs is an argument, so it runs the same under test.
 */
import { toFaultMessage, type FaultMessage } from "../../base/errors.ts";
import type { Rubric } from "../../domain/rubric/schema.ts";
import type { RolloutGroup, SeedRow } from "../../domain/run/records.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import { isAborted } from "../../training/abort.ts";
import { checkFitsPolicy, openRecords } from "../../training/checkpoints.ts";
import type { TrainingDeps } from "../../training/deps.ts";
import { createRunRecord, rubricAt, type RunRecord } from "../../training/run-record.ts";
import { SeedRuns } from "../../training/seed-runs.ts";
import type { Params, Result, WorkerEvent } from "../protocol/messages.ts";
import {
  accepts,
  initialRunState,
  reduceRun,
  type RunEvent,
  type RunState,
} from "../protocol/run-machine.ts";
import type { Lock } from "./lock.ts";
import type { ClaimRun } from "./run-claims.ts";
import { cannot, noRun, noSuchRun, withMemoryFault } from "./run-faults.ts";
import { createRunKeeper, type RunKeeper } from "./run-keeper.ts";
import { createRolloutShelf, KEPT_STEPS, type RolloutShelf } from "./rollout-shelf.ts";
import { createRowBatcher, type RowBatcher } from "./row-batcher.ts";
import type { RunStore } from "./run-store.ts";
import { createProgress } from "./time-left.ts";

/** Between two measurements of the newest rollouts after their update, while training runs. */
const MEASURE_EVERY_MS = 2000;
/** Between two reports of an evaluation. */
const PROGRESS_EVERY_MS = 200;

export interface RunSessionDeps {
  /** Refuses what the loaded model cannot train on. @throws PlaygroundError, also `run-state` before a model is loaded. */
  readonly check: (spec: RunSpec) => void;
  /** The loaded model's policy for a checked specification. */
  readonly training: (spec: RunSpec) => Promise<TrainingDeps>;
  /** Name of the loaded model; null without one. */
  readonly modelName: () => string | null;
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
  readonly #keeper: RunKeeper;
  /** By seed. */
  #shelves: ReadonlyMap<number, RolloutShelf> = new Map();
  #state: RunState = initialRunState;
  #runs: SeedRuns | null = null;
  /** The seed that is looked at. */
  #focus = 0;
  #drive: Drive | null = null;
  #claim: Claim | null = null;
  #measuredAt = Number.NEGATIVE_INFINITY;

  constructor(deps: RunSessionDeps) {
    this.#deps = deps;
    this.#batcher = createRowBatcher(deps.emit, deps.now, deps.schedule);
    this.#keeper = createRunKeeper(deps);
  }

  get state(): RunState {
    return this.#state;
  }

  /** The run of the seed in focus at its last finished step; null without one. */
  get record(): RunRecord | null {
    return this.#runs?.recordOf(this.#focus) ?? null;
  }

  /** Every seed's run; none without one. */
  get records(): readonly RunRecord[] {
    return this.#runs?.records ?? [];
  }

  /** Every row of every seed. */
  get rows(): readonly SeedRow[] {
    return this.#runs?.rows ?? [];
  }

  /** A fresh run of each seed in place of the present one; when it is refused, the present one stays as it is. */
  create(
    spec: RunSpec,
    seeds: readonly number[] = [spec.seed],
    start: Float32Array | null = null,
  ): Promise<{ runId: string }> {
    return this.#opening("a new run", async () => {
      this.#deps.check(spec);
      const id = this.#deps.newId();
      await this.#replace(id, spec, ({ policy }) =>
        seeds.map((seed) => createRunRecord(id, { ...spec, seed }, policy, start)),
      );
      return { runId: id };
    });
  }

  /**
   * A saved run in place of the present one; when it is refused, the present one stays as it is. The present one itself is
   * taken from here. An earlier checkpoint opens as a run of its own, so that the later ones stay.
   */
  resume(id: string, checkpoint: string | null = null): Promise<Result<"resumeRun">> {
    const where = `saved run ${id}`;
    return this.#opening(where, async () => {
      const records = await this.#recordsOf(id, checkpoint, where);
      const runId = checkpoint === null ? id : this.#deps.newId();
      return this.#resume(
        runId,
        records.map((record) => ({ ...record, id: runId })),
        where,
      );
    });
  }

  async #recordsOf(id: string, checkpoint: string | null, where: string): Promise<readonly RunRecord[]> {
    if (checkpoint === null && this.records[0]?.id === id) {
      await this.#halt();
      return this.records;
    }
    const bytes = await this.#deps.store.load(id, checkpoint);
    if (bytes === null) throw noSuchRun(where);
    return openRecords(bytes, where);
  }

  async #resume(id: string, saved: readonly RunRecord[], where: string): Promise<Result<"resumeRun">> {
    for (const { spec } of saved) this.#deps.check(spec);
    const { spec } = saved[0] as RunRecord;
    const runs = await this.#replace(id, spec, ({ policy }) => {
      for (const record of saved) checkFitsPolicy(record, policy.adapterSize, where);
      return saved;
    });
    const record = runs.recordOf(this.#focus);
    const { pinned, rubrics: versions, start } = record;
    // after the answer, so that the page has made room for them
    if (pinned.length > 0)
      this.#deps.schedule(() => {
        this.#deps.emit({ kind: "pinned", seed: this.#focus, groups: pinned });
      }, 0);
    const { seeds, rows, step } = runs;
    return { runId: id, spec, seeds, rubric: rubricAt(record, step + 1).rubric, versions, rows, step, start };
  }

  /** Trains in the background until max_steps, pause or stop, or for so many steps. */
  start(steps = Number.POSITIVE_INFINITY): void {
    const runs = this.#opened;
    if (!accepts(this.#state, "start")) throw cannot("train", this.#state);
    this.#dispatch({ type: "start" });
    const controller = new AbortController();
    const before = this.#drive?.ended ?? Promise.resolve(); // it may still be saving
    this.#drive = { controller, ended: before.then(() => this.#run(runs, steps, controller.signal)) };
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
    this.#runs = null;
    this.#batcher.clear();
    this.#shelves = new Map();
    this.#claim?.release();
    this.#claim = null;
  }

  /** Ends the run's work and keeps it, here and in the browser: another engine may go on with it. */
  async rest(): Promise<void> {
    if (this.#state.phase === "running") this.#dispatch({ type: "pause" });
    await this.#halt();
    await this.keepNow();
  }

  /** Keeps a checkpoint at the last finished step, where there is something new. */
  async keepNow(): Promise<void> {
    if (this.#runs !== null) await this.#save(this.#runs);
  }

  /** The run stands as it stood before a model was loaded; false where there is none. */
  stand(): boolean {
    if (this.#runs === null) return false;
    const { step } = this.#runs;
    this.#dispatch({ type: "ready", step, maxSteps: this.#state.maxSteps });
    return true;
  }

  /** Multiplies every arm's learning rate from the next step on. */
  scaleLearningRate(factor: number): Promise<void> {
    this.#opened.scaleLearningRate(factor);
    return this.keepNow();
  }

  /** Shows a model being loaded, and that it could not be. */
  announce(event: Extract<RunEvent, { type: "load" | "fail" }>): void {
    this.#dispatch(event);
  }

  editRubric(rubric: Rubric): { rubricVersion: number; fromStep: number } {
    const { version, rows } = this.#opened.editRubric(rubric);
    this.#batcher.addRows(rows);
    return { rubricVersion: version.version, fromStep: version.fromStep };
  }

  pinPrompt(promptId: string | null): void {
    this.#opened.pinPrompt(promptId);
  }

  /** Groups of a step that are still there; empty when they were not kept. */
  rollouts({ seed, arm, step }: Params<"rollouts">): readonly RolloutGroup[] {
    const kept = this.#shelves.get(seed)?.find(arm, step) ?? [];
    if (kept.length > 0) return kept;
    const { newest } = this.#opened.recordOf(seed);
    return newest.filter((group) => group.arm === arm && group.step === step);
  }

  /** Shows this seed's rollouts from now on; what is there of it already. @throws PlaygroundError `run-state` */
  focusSeed(seed: number): Result<"focusSeed"> {
    const runs = this.#opened;
    const { newest, pinned } = runs.recordOf(seed);
    this.#focus = seed;
    if (this.#state.phase !== "running") void this.#measure(runs);
    return { groups: newest, pinned };
  }

  get #opened(): SeedRuns {
    if (this.#runs === null) throw noRun();
    return this.#runs;
  }

  /** Where opening a run fails and there is none before it, the session says that it stands failed. */
  async #opening<T>(where: string, open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      if (this.#runs === null) this.#dispatch({ type: "fail", fault: toFaultMessage(error, where) });
      throw error;
    }
  }

  /** Ends the present run and opens another. */
  async #replace(
    id: string,
    spec: RunSpec,
    open: (training: TrainingDeps) => readonly RunRecord[],
  ): Promise<SeedRuns> {
    const claim = await this.#claimOn(id);
    try {
      await this.discard();
      const training = await this.#deps.training(spec);
      this.#runs = new SeedRuns(training, open(training));
    } catch (error) {
      claim.release();
      throw error;
    }
    this.#claim = claim;
    this.#measuredAt = Number.NEGATIVE_INFINITY;
    const { seeds, step } = this.#runs;
    const keptSteps = Math.max(1, Math.floor(KEPT_STEPS / seeds.length));
    this.#shelves = new Map(seeds.map((seed) => [seed, createRolloutShelf(keptSteps)]));
    this.#focus = seeds[0] as number;
    this.#dispatch({ type: "ready", step, maxSteps: spec.grpo.max_steps });
    return this.#runs;
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

  async #run(runs: SeedRuns, steps: number, signal: AbortSignal): Promise<void> {
    let fault: FaultMessage | null = null;
    try {
      await this.#advance(runs, steps, signal);
    } catch (error) {
      const where = `step ${runs.step + 1}`;
      if (!isAborted(error)) fault = toFaultMessage(withMemoryFault(error, where), where);
    }
    this.#batcher.flush();
    this.#deps.emit({ kind: "progress", progress: null });
    this.#dispatch(fault === null ? { type: "halted" } : { type: "fail", fault });
    if (fault === null) await this.#measure(runs);
    await this.#save(runs);
  }

  async #advance(runs: SeedRuns, steps: number, signal: AbortSignal): Promise<void> {
    const { now, lock, emit } = this.#deps;
    const { grpo } = (runs.records[0] as RunRecord).spec;
    const seeds = runs.seeds.length;
    const progress = createProgress("train", "steps", now);
    const startedAt = now();
    const begun = runs.seedSteps;
    const last = Math.min(grpo.max_steps, runs.step + steps);
    if (runs.step > 0) await this.#evaluate(runs, signal); // of a fresh run a person sees a step first
    while (runs.step < last) {
      const { leftMs } = progress(runs.seedSteps, last * seeds);
      emit({ kind: "progress", progress: { ...progress(runs.step, last), leftMs } });
      await lock(() => this.#step(runs, signal));
      this.#batcher.setSpeed((1000 * (runs.seedSteps - begun)) / seeds / Math.max(1, now() - startedAt));
      if (!runs.aligned) continue;
      await this.#evaluate(runs, signal);
      if (runs.step % grpo.save_steps === 0) await this.#save(runs);
    }
  }

  async #step(runs: SeedRuns, signal: AbortSignal): Promise<void> {
    const { seed, rows, groups } = await runs.stepNext(signal).catch((error: unknown) => {
      this.#batcher.addRows(runs.pullEdits());
      throw error;
    });
    this.#batcher.addRows(rows);
    this.#show(seed, groups);
    if (runs.step > this.#state.step) this.#dispatch({ type: "stepped", step: runs.step });
    const { now } = this.#deps;
    if (seed !== this.#focus || now() - this.#measuredAt < MEASURE_EVERY_MS) return;
    this.#measuredAt = now();
    this.#show(seed, await runs.measureNewest(seed));
  }

  /** Every evaluation that is due; between two of them the chat may have its turn. */
  async #evaluate(runs: SeedRuns, signal: AbortSignal): Promise<void> {
    const { now, emit, lock } = this.#deps;
    while (runs.evaluationsDue > 0) {
      const progress = createProgress("evaluate", "samples", now);
      const due = runs.evaluationsDue;
      for (let turn = 0; turn < due; turn++) {
        let toldAt = -Infinity;
        const onProgress = (done: number, total: number): void => {
          if (done > 0 && done < total && now() - toldAt < PROGRESS_EVERY_MS) return;
          toldAt = now();
          emit({ kind: "progress", progress: progress(turn * total + done, due * total) });
        };
        const { seed, rows, groups } = await lock(() => runs.evaluate({ signal, onProgress }));
        this.#batcher.addRows(rows);
        if (groups.length > 0 && seed === this.#focus) emit({ kind: "pinned", seed, groups });
      }
    }
  }

  /** Fills in the log-probabilities after the update of what the page looks at now. */
  async #measure(runs: SeedRuns): Promise<void> {
    const seed = this.#focus;
    if (runs.recordOf(seed).newest.length === 0) return;
    try {
      this.#show(seed, await this.#deps.lock(() => runs.measureNewest(seed)));
      this.#batcher.flush();
    } catch (error) {
      this.#deps.emit({ kind: "fault", fault: toFaultMessage(error, "measuring the newest rollouts") });
    }
  }

  #show(seed: number, groups: readonly RolloutGroup[]): void {
    this.#shelves.get(seed)?.put(groups);
    if (seed === this.#focus) this.#batcher.setRollouts(seed, groups);
  }

  /** A run that cannot be saved goes on, and says so. Nothing is kept of one that has learned nothing yet. */
  async #save(runs: SeedRuns): Promise<void> {
    const { id } = runs.records[0] as RunRecord;
    if (runs.seedSteps === 0) return;
    try {
      const step = await this.#keeper.keep(runs);
      if (step !== null) this.#deps.emit({ kind: "saved", id, step });
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
