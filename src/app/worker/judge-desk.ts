/**
 * The worker's judges: keys in memory alone, verdicts remembered from run to run, counts told a few times a second, budgets that
 * a person may raise while the run stands.
 */
import { PlaygroundError } from "../../base/errors.ts";
import type { JudgeSpec } from "../../domain/run/judge-spec.ts";
import type { JudgeBudget } from "../../domain/run/judge-usage.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import type { TrainingDeps } from "../../training/deps.ts";
import { createJudgeMeter, type JudgeMeter } from "../../training/judges/judge-meter.ts";
import type { EndpointTools } from "../../training/judges/judge-tools.ts";
import type { JudgeModel } from "../../training/judges/local-judge.ts";
import { createJudge } from "../../training/judges/registry.ts";
import type { CriterionJudge } from "../../training/judging.ts";
import type { Policy } from "../../training/policy.ts";
import { NO_USAGES, type JudgeUsages } from "../protocol/judge-messages.ts";
import type { WorkerEvent } from "../protocol/messages.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import { createVerdictMemory, type OpenVerdictStore, type VerdictMemory } from "./verdict-memory.ts";

/** Between two tellings of the counts. */
const TELL_EVERY_MS = 250;

export type JudgeNetwork = Pick<EndpointTools, "fetch" | "sleep" | "wallClock">;

/** Nothing answers. */
const NO_NETWORK: JudgeNetwork = {
  fetch: () => Promise.reject(new Error("no network")),
  sleep: () => Promise.resolve(),
  wallClock: () => 0,
};

interface JudgeDeskDeps {
  readonly network?: JudgeNetwork;
  /** Where verdicts outlive the worker; without it they are remembered as long as it lives. */
  readonly verdicts?: OpenVerdictStore;
  readonly emit: (event: WorkerEvent) => void;
  readonly schedule: (callback: () => void, delayMs: number) => void;
}

/** The model that is trained, as a judge sees it. */
type Base = Pick<LoadedModelHost, "info" | "codec" | "maxPositions">;

export interface JudgeDesk {
  readonly memory: Pick<VerdictMemory, "flush" | "keptBytes" | "forget">;
  setKey(url: string, key: string | null): void;
  setBudget(of: "training" | "heldOut", budget: JudgeBudget): void;
  /** Takes a second model for judging; the one before it ends. */
  useModel(host: LoadedModelHost | null): Promise<void>;
  /** @throws PlaygroundError `judge-refused` where a run's judge cannot judge here */
  check(spec: RunSpec, base: Base): void;
  /** The judges of a run, counted anew. */
  open(spec: RunSpec, base: Base, policy: Policy): Pick<TrainingDeps, "judge" | "heldOutJudge">;
  /** A judge to try, counted by itself. */
  trial(spec: JudgeSpec, base: Base, policy: Policy): CriterionJudge;
}

type Role = keyof JudgeUsages;

const NO_BOUND: JudgeBudget = { maxCalls: null, maxTotalTokens: null };

/** Where a judge works. */
interface Setting {
  readonly role: Role;
  readonly base: Base;
  readonly policy: Policy;
  readonly seed: number;
}

export function createJudgeDesk({
  network = NO_NETWORK,
  verdicts = () => Promise.resolve(null),
  emit,
  schedule,
}: JudgeDeskDeps): JudgeDesk {
  const keys = new Map<string, string>();
  const budgets = new Map<Role, JudgeBudget>();
  const counts = toldCounts(emit, schedule);
  const memory = createVerdictMemory(verdicts, schedule);
  const { cacheFor } = memory;
  let second: LoadedModelHost | null = null;

  const make = (spec: JudgeSpec, { role, base, policy, seed }: Setting): CriterionJudge => {
    budgets.set(role, spec.kind === "endpoint" ? spec : NO_BOUND);
    return createJudge(spec, {
      ...{ ...network, cacheFor, seed, meter: counts.meterOf(role) },
      keyFor: (url) => keys.get(url) ?? null,
      budget: () => budgets.get(role) ?? NO_BOUND,
      model: async () => {
        const own =
          spec.kind === "local" && spec.model !== "base" ? checkedSecond(spec.model.name, second) : null;
        return own === null ? judgeModel(base, policy) : judgeModel(own, await own.policyFor(null));
      },
    });
  };
  return {
    memory,
    setKey: (url, key) => {
      if (key === null) keys.delete(url);
      else keys.set(url, key);
    },
    setBudget: (of, budget) => {
      budgets.set(of, budget);
    },
    useModel: async (host) => {
      await second?.dispose();
      second = host;
    },
    check: ({ judge, heldOutJudge }, base) => {
      for (const spec of [judge, heldOutJudge]) if (spec !== undefined) checkJudge(spec, base, second);
    },
    open: ({ judge, heldOutJudge, seed }, base, policy) => {
      counts.clear();
      const setting = { base, policy, seed };
      return {
        judge: judge === undefined ? null : make(judge, { ...setting, role: "training" }),
        heldOutJudge: heldOutJudge === undefined ? null : make(heldOutJudge, { ...setting, role: "heldOut" }),
      };
    },
    trial: (spec, base, policy) => {
      checkJudge(spec, base, second);
      return make(spec, { role: "trial", base, policy, seed: 1 });
    },
  };
}

/** Meters by role whose counts are told together, at once and then at most four times a second. */
function toldCounts(emit: JudgeDeskDeps["emit"], schedule: JudgeDeskDeps["schedule"]) {
  let usages = NO_USAGES;
  let waiting = false;
  const tell = (): void => {
    if (waiting) return;
    waiting = true;
    schedule(() => {
      waiting = false;
      emit({ kind: "judge", usages });
    }, TELL_EVERY_MS);
  };
  const set = (next: JudgeUsages): void => {
    usages = next;
    tell();
  };
  return {
    meterOf: (role: Role): JudgeMeter => {
      const meter = createJudgeMeter((usage) => {
        set({ ...usages, [role]: usage });
      });
      set({ ...usages, [role]: meter.usage });
      return meter;
    },
    /** Of a run; what is being tried keeps its own. */
    clear: (): void => {
      set({ ...usages, training: null, heldOut: null });
    },
  };
}

function judgeModel({ info, codec, maxPositions }: Base, policy: Policy): JudgeModel {
  return { name: info.name, policy, codec, maxPositions };
}

function checkJudge(spec: JudgeSpec, base: Base, second: LoadedModelHost | null): void {
  if (spec.kind !== "local") return;
  if (spec.model !== "base") checkedSecond(spec.model.name, second);
  else if (base.info.identity === null) throw bundledCannot(base.info.name);
}

/** @throws PlaygroundError `judge-refused` for another model than the loaded one */
function checkedSecond(name: string, second: LoadedModelHost | null): LoadedModelHost {
  if (second?.info.name === name) return second;
  throw new PlaygroundError({
    code: "judge-refused",
    where: "judge",
    expected: `the model "${name}", loaded as the judge`,
    got: second === null ? "none" : `"${second.info.name}"`,
    next: "Load it under Judge, or choose another judge.",
  });
}

/** @throws PlaygroundError `judge-refused` for the bundled model, on either side */
export function checkCanJudge({ info }: Pick<Base, "info">): void {
  if (info.identity === null) throw bundledCannot(info.name);
}

function bundledCannot(name: string): PlaygroundError {
  return new PlaygroundError({
    code: "judge-refused",
    where: `judge "${name}"`,
    expected: "a model that was trained to judge, or a general one",
    got: "the bundled model, which writes short replies from a small vocabulary and has never seen a criterion",
    next: "Load a real model (the model's name in the header opens the choice), or name an endpoint.",
  });
}
