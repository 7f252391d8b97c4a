/** What the worker does for each request of the page. Composition only: the work is in the modules it calls. */
import { PlaygroundError, toFaultMessage } from "../../base/errors.ts";
import { loadChecks } from "../../domain/rubric/checks/check.ts";
import { checks } from "../../domain/rubric/checks/registry.ts";
import type { CheckTools } from "../../domain/rubric/checks/check.ts";
import type { PromptFacts } from "../../domain/rubric/verdicts.ts";
import { judgeAnswers, type JudgingDeps } from "../../training/judging.ts";
import { findPrompt } from "../../training/pinned-prompt.ts";
import { promptFacts } from "../../training/rollout.ts";
import { checkSpecRoom } from "../../training/room.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { ModelInfo, Progress } from "../protocol/messages.ts";
import type { ModelChoice, ModelRequests, EngineChoice } from "../protocol/model-messages.ts";
import { chatHandlers } from "./chat-handlers.ts";
import type { Handlers } from "./dispatch.ts";
import { exportHandlers } from "./export-handlers.ts";
import { createJudgeDesk, type JudgeDesk, type JudgeNetwork } from "./judge-desk.ts";
import { judgeHandlers } from "./judge-handlers.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import { createLock, type Lock } from "./lock.ts";
import { checkSameModel } from "./same-model.ts";
import type { EmbedderSlot } from "./scoring/browser-embedder.ts";
import { scoringHandlers } from "./scoring-handlers.ts";
import { RunSession, type RunSessionDeps } from "./run-session.ts";
import type { OpenVerdictStore } from "./verdict-memory.ts";

export interface WorkerDeps extends Omit<RunSessionDeps, "check" | "training" | "lock" | "modelName"> {
  /** What checks ask; nothing where it is left out. */
  readonly tools?: Partial<CheckTools>;
  /** Loads the model that checks compare meanings with. */
  readonly embedding?: EmbedderSlot;
  /** What judges ask endpoints with; without it there is no network. */
  readonly network?: JudgeNetwork;
  /** Where judges' verdicts outlive the worker; nowhere without it. */
  readonly verdicts?: OpenVerdictStore;
  /** Runs that some tab works on. */
  readonly claimedRuns: () => Promise<ReadonlySet<string>>;
  /** Loads a model on an engine. */
  readonly openModel: (
    choice: EngineChoice,
    onProgress: (progress: Progress) => void,
    model: ModelChoice,
    signal: AbortSignal,
  ) => Promise<LoadedModelHost>;
}

/** A model up to this size stays until the next one is there; of a larger one there is no room for two. */
const LARGEST_BESIDE_BYTES = 256e6;

export function createHandlers(deps: WorkerDeps): Handlers {
  const lock = createLock();
  const tell = (progress: Progress | null): void => {
    deps.emit({ kind: "progress", progress });
  };
  const judging = { checks, ...deps.tools };
  const desk = createJudgeDesk(deps);
  let host: LoadedModelHost | null = null;
  const model = (): LoadedModelHost => loaded(host);
  const name = (): string | null => host?.info.name ?? null;
  const session = new RunSession(sessionDeps(deps, { lock, judging, desk, model, name }));
  let loading: AbortController | null = null;
  const load = async (engine: EngineChoice, choice: ModelChoice): Promise<ModelInfo> => {
    await session.rest();
    session.announce({ type: "load" });
    loading = new AbortController();
    const { signal } = loading;
    const before = host;
    const heavy = before !== null && before.info.sizeBytes > LARGEST_BESIDE_BYTES;
    if (heavy) host = null;
    try {
      if (heavy) await lock(() => before.dispose());
      host = await deps.openModel(engine, tell, choice, signal);
      if (!heavy) await lock(async () => before?.dispose());
      return host.info;
    } catch (error) {
      // the run stays as it was; without a model it waits for one
      if (host === null || !session.stand())
        session.announce({ type: "fail", fault: toFaultMessage(error, "loading the model") });
      throw error;
    } finally {
      tell(null);
    }
  };
  return {
    loadModel: ({ engine, model: choice = { kind: "bundled" } }) => load(engine, choice),
    cancelLoad: () => {
      loading?.abort();
      return Promise.resolve({});
    },
    ...modelHandlers(model, { lock, now: deps.now }),
    ...adapterHandlers(model),
    ...chatHandlers({ model, session, lock, emit: deps.emit }),
    ...runHandlers(session, model, judging),
    ...scoringHandlers(deps.embedding, tell),
    ...exportHandlers(session, model),
    ...judgeHandlers({
      ...{ desk, session, lock, judging, model },
      openModel: async (choice) => {
        loading = new AbortController();
        try {
          return await deps.openModel("auto", tell, choice, loading.signal);
        } finally {
          tell(null);
        }
      },
      facts: (promptId) => factsOf(session.record, promptId),
    }),
    ...storeHandlers(session, deps),
  };
}

interface Parts {
  readonly lock: Lock;
  readonly judging: JudgingDeps;
  readonly desk: JudgeDesk;
  readonly model: () => LoadedModelHost;
  /** Of the loaded model; null without one. */
  readonly name: () => string | null;
}

function sessionDeps(deps: WorkerDeps, { lock, judging, desk, model, name }: Parts): RunSessionDeps {
  return {
    ...deps,
    lock,
    modelName: name,
    store: {
      ...deps.store,
      save: async (run) => {
        await desk.memory.flush();
        await deps.store.save(run);
      },
    },
    check: (spec) => {
      const host = model();
      checkSameModel(spec.model ?? null, host.info.identity);
      checkSpecRoom(host.codec, host.maxPositions, spec);
      desk.check(spec, host);
    },
    training: (spec) =>
      lock(async () => {
        const host = model();
        const policy = await host.policyFor(spec.grpo.lora);
        const { codec } = host;
        return { policy, codec, ...judging, ...desk.open(spec, host, policy), now: deps.now };
      }),
  };
}

type ModelHandlers = Pick<Handlers, Exclude<keyof ModelRequests, "cancelLoad">>;

/** Loaded when first asked for: a run of the bundled model needs none of it. */
function modelHandlers(
  model: () => LoadedModelHost,
  { lock, now }: { readonly lock: Lock; readonly now: () => number },
): ModelHandlers {
  const measure = async (host: LoadedModelHost) => {
    const { measureSpeed } = await import("./measure-speed.ts");
    const onTry = (): void => undefined;
    return lock(async () =>
      measureSpeed({ policy: await host.policyFor(null), codec: host.codec, now, onTry }),
    );
  };
  let asked: Promise<ModelHandlers> | null = null;
  const ask = (): Promise<ModelHandlers> =>
    (asked ??= import("./model-handlers.ts").then((made) =>
      made.modelHandlers(model, undefined, undefined, measure),
    ));
  return {
    inspectModel: async (params) => (await ask()).inspectModel(params),
    listModelFiles: async (params) => (await ask()).listModelFiles(params),
    listKeptModels: async (params) => (await ask()).listKeptModels(params),
    deleteKeptModel: async (params) => (await ask()).deleteKeptModel(params),
    forecastStep: async (params) => (await ask()).forecastStep(params),
    promptTokens: async (params) => (await ask()).promptTokens(params),
  };
}

function adapterHandlers(model: () => LoadedModelHost): Pick<Handlers, "readAdapters"> {
  return {
    readAdapters: async ({ files }) => {
      const { config } = model();
      const { readAdapterFiles } = await import("./adapter-files.ts"); // with what reads zips and hashes
      return { adapters: await readAdapterFiles(files, config) };
    },
  };
}

type RunHandlers =
  | "createRun"
  | "train"
  | "step"
  | "pause"
  | "stop"
  | "saveRun"
  | "scaleLearningRate"
  | "editRubric"
  | "pinPrompt"
  | "focusSeed"
  | "tryRubric"
  | "rollouts";

function runHandlers(
  session: RunSession,
  model: () => LoadedModelHost,
  judging: JudgingDeps,
): Pick<Handlers, RunHandlers> {
  const done = Promise.resolve({});
  return {
    createRun: ({ spec, seeds, start }) => session.create(spec, seeds, start),
    train: () => {
      model();
      session.start();
      return done;
    },
    step: () => {
      model();
      session.start(1);
      return done;
    },
    pause: async () => {
      await session.pause();
      return {};
    },
    stop: async () => {
      await session.stop();
      return {};
    },
    saveRun: async () => {
      await session.keepNow();
      return {};
    },
    scaleLearningRate: async ({ factor }) => {
      await session.scaleLearningRate(factor);
      return {};
    },
    editRubric: async ({ rubric }) => {
      await loadChecks(checks, rubric.criteria);
      return session.editRubric(rubric);
    },
    pinPrompt: ({ promptId }) => {
      session.pinPrompt(promptId);
      return done;
    },
    tryRubric: async ({ rubric, promptId, answer }) => {
      const prompt = factsOf(session.record, promptId);
      const asked = { prompt, answers: [{ text: answer, ended: true }] };
      const [[judgements = []] = []] = await judgeAnswers(judging, rubric.criteria, [asked]);
      return { judgements };
    },
    rollouts: (params) => Promise.resolve({ groups: session.rollouts(params) }),
    focusSeed: ({ seed }) => Promise.resolve(session.focusSeed(seed)),
  };
}

function storeHandlers(
  session: RunSession,
  { store, claimedRuns }: WorkerDeps,
): Pick<Handlers, "listRuns" | "resumeRun" | "deleteRun"> {
  return {
    listRuns: async () => {
      const [{ place, runs }, claimed] = await Promise.all([store.list(), claimedRuns()]);
      const own = session.record?.id;
      return {
        place,
        runs: runs.map((run) => ({ ...run, openElsewhere: run.id !== own && claimed.has(run.id) })),
      };
    },
    resumeRun: ({ id, checkpoint }) => session.resume(id, checkpoint),
    deleteRun: async ({ id }) => {
      await store.delete(id);
      return {};
    },
  };
}

/** Named parts for checks that compare with the prompt; none where nobody says which prompt it was. */
function factsOf(record: RunRecord | null, promptId: string | null): PromptFacts {
  const prompt = record === null || promptId === null ? null : findPrompt(record, promptId);
  return prompt === null ? { text: "", fields: {} } : promptFacts(prompt);
}

function loaded(host: LoadedModelHost | null): LoadedModelHost {
  if (host !== null) return host;
  throw new PlaygroundError({
    code: "run-state",
    where: "model",
    expected: "a loaded model",
    got: "none",
    next: "Load it first.",
  });
}
