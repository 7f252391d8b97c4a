/** What the worker does for each request of the page. Composition only: the work is in the modules it calls. */
import { PlaygroundError, toFaultMessage } from "../../base/errors.ts";
import { checks } from "../../domain/rubric/checks/registry.ts";
import type { ScenarioPrompt } from "../../domain/run/spec.ts";
import type { PromptFacts } from "../../domain/rubric/verdicts.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import { judgeAnswer } from "../../training/judging.ts";
import type { Policy } from "../../training/policy.ts";
import { promptFacts } from "../../training/rollout.ts";
import type { EngineChoice, ModelInfo, Params, Progress, WorkerEvent } from "../protocol/messages.ts";
import { answerChat } from "./chat.ts";
import type { Handlers } from "./dispatch.ts";
import { checkRoom, type LoadedModelHost } from "./loaded-model.ts";
import { createLock } from "./lock.ts";
import { RunSession, type RunSessionDeps } from "./run-session.ts";

export interface HandlerDeps extends Omit<RunSessionDeps, "training" | "lock"> {
  /** Loads the bundled model on an engine. */
  readonly openModel: (
    choice: EngineChoice,
    onProgress: (progress: Progress) => void,
  ) => Promise<LoadedModelHost>;
}

const DONE = {};

/** The model that is loaded and the policy that the present run trains with. */
interface Bench {
  readonly host: LoadedModelHost;
  policy: Policy;
}

export function createHandlers(deps: HandlerDeps): Handlers {
  const lock = createLock();
  let bench: Bench | null = null;
  const session = new RunSession({
    ...deps,
    lock,
    training: (spec) => {
      const { host, policy } = loaded(bench);
      checkPrompts(host, spec);
      return { policy, codec: host.codec, checks, now: deps.now };
    },
  });
  /** Before a run is made or restored: its LoRA setting decides the policy. */
  const prepare = async (spec: RunSpec): Promise<void> => {
    const { host } = loaded(bench);
    await session.discard();
    bench = { host, policy: await lock(() => host.policyFor(spec.grpo.lora)) };
  };
  const load = async (choice: EngineChoice): Promise<ModelInfo> => {
    await session.discard();
    session.announce({ type: "load" });
    try {
      await lock(async () => bench?.host.dispose());
      bench = null;
      const host = await deps.openModel(choice, emitProgress(deps.emit));
      bench = { host, policy: await host.policyFor(DEFAULT_LORA) };
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
  } as Handlers;
}
