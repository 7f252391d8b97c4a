/** What the worker does for each request of the page. Composition only: the work is in the modules it calls. */
import { PlaygroundError, toFaultMessage } from "../../base/errors.ts";
import { checks } from "../../domain/rubric/checks/registry.ts";
import type { PromptFacts } from "../../domain/rubric/verdicts.ts";
import { judgeAnswer } from "../../training/judging.ts";
import { findPrompt } from "../../training/pinned-prompt.ts";
import { promptFacts } from "../../training/rollout.ts";
import { checkRoom, checkSpecRoom } from "../../training/room.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { EngineChoice, ModelInfo, Progress } from "../protocol/messages.ts";
import { answerChat } from "./chat.ts";
import type { Handlers } from "./dispatch.ts";
import { exportHandlers } from "./export-handlers.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import { createLock } from "./lock.ts";
import { RunSession, type RunSessionDeps } from "./run-session.ts";

export interface WorkerDeps extends Omit<RunSessionDeps, "check" | "training" | "lock"> {
  /** Loads the bundled model on an engine. */
  readonly openModel: (
    choice: EngineChoice,
    onProgress: (progress: Progress) => void,
  ) => Promise<LoadedModelHost>;
}

export function createHandlers(deps: WorkerDeps): Handlers {
  const lock = createLock();
  let host: LoadedModelHost | null = null;
  const session = new RunSession({
    ...deps,
    lock,
    check: (spec) => {
      const { codec, maxPositions } = loaded(host);
      checkSpecRoom(codec, maxPositions, spec);
    },
    training: (spec) =>
      lock(async () => {
        const { codec, policyFor } = loaded(host);
        return { policy: await policyFor(spec.grpo.lora), codec, checks, now: deps.now };
      }),
  });
  const load = async (choice: EngineChoice): Promise<ModelInfo> => {
    await session.discard();
    session.announce({ type: "load" });
    try {
      const before = host;
      host = null;
      await lock(async () => before?.dispose());
      host = await deps.openModel(choice, (progress) => {
        deps.emit({ kind: "progress", progress });
      });
      return host.info;
    } catch (error) {
      session.announce({ type: "fail", fault: toFaultMessage(error, "loading the model") });
      throw error;
    } finally {
      deps.emit({ kind: "progress", progress: null });
    }
  };
  return {
    loadModel: ({ engine }) => load(engine),
    chat: async (params) => {
      const { codec, policyFor, maxPositions } = loaded(host);
      checkRoom(maxPositions, codec.encodePrompt(params.messages), params.maxTokens, "chat");
      const lora = session.record?.spec.grpo.lora ?? null;
      return lock(async () => answerChat(await policyFor(lora), codec, session.record, params));
    },
    ...runHandlers(session),
    ...exportHandlers(session, () => loaded(host)),
    ...storeHandlers(session, deps),
  };
}

type RunHandlers =
  | "createRun"
  | "train"
  | "step"
  | "pause"
  | "stop"
  | "editRubric"
  | "pinPrompt"
  | "focusSeed"
  | "tryRubric"
  | "rollouts";

function runHandlers(session: RunSession): Pick<Handlers, RunHandlers> {
  const done = Promise.resolve({});
  return {
    createRun: ({ spec, seeds }) => session.create(spec, seeds),
    train: () => {
      session.start();
      return done;
    },
    step: () => {
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
    editRubric: ({ rubric }) => Promise.resolve(session.editRubric(rubric)),
    pinPrompt: ({ promptId }) => {
      session.pinPrompt(promptId);
      return done;
    },
    tryRubric: ({ rubric, promptId, answer }) => {
      const facts = factsOf(session.record, promptId);
      const judgements = judgeAnswer(checks, rubric.criteria, { text: answer, ended: true }, facts);
      return Promise.resolve({ judgements });
    },
    rollouts: (params) => Promise.resolve({ groups: session.rollouts(params) }),
    focusSeed: ({ seed }) => Promise.resolve(session.focusSeed(seed)),
  };
}

function storeHandlers(
  session: RunSession,
  { store }: WorkerDeps,
): Pick<Handlers, "listRuns" | "resumeRun" | "deleteRun"> {
  return {
    listRuns: async () => ({ runs: await store.list() }),
    resumeRun: ({ id }) => session.resume(id),
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
