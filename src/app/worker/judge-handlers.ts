/** What the worker does for requests about judges. */
import type { PromptFacts } from "../../domain/rubric/verdicts.ts";
import type { JudgeSpec } from "../../domain/run/judge-spec.ts";
import type { CriterionJudge, JudgingDeps } from "../../training/judging.ts";
import type { JudgeRequests } from "../protocol/judge-messages.ts";
import type { ModelChoice } from "../protocol/model-messages.ts";
import type { Handlers } from "./dispatch.ts";
import { checkCanJudge, type JudgeDesk } from "./judge-desk.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import type { Lock } from "./lock.ts";
import type { RunSession } from "./run-session.ts";

interface JudgeHandlerDeps {
  readonly desk: JudgeDesk;
  readonly session: Pick<RunSession, "record">;
  readonly lock: Lock;
  readonly judging: JudgingDeps;
  readonly model: () => LoadedModelHost;
  readonly openModel: (model: ModelChoice) => Promise<LoadedModelHost>;
  /** Named parts of a prompt of the run. */
  readonly facts: (promptId: string | null) => PromptFacts;
}

export function judgeHandlers(deps: JudgeHandlerDeps): Pick<Handlers, keyof JudgeRequests> {
  const { desk, session, judging, lock } = deps;
  let trial = new AbortController();
  /** One at a time: the newest ends the one before it. */
  const trying = async <T>(
    spec: JudgeSpec,
    work: (judge: CriterionJudge, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    trial.abort();
    trial = new AbortController();
    const { signal } = trial;
    const host = deps.model();
    const lora = session.record?.spec.grpo.lora ?? null;
    const ask = async (): Promise<T> => work(desk.trial(spec, host, await host.policyFor(lora)), signal);
    return spec.kind === "local" ? lock(ask) : ask();
  };
  return {
    setJudgeKey: ({ url, key }) => {
      desk.setKey(url, key);
      return Promise.resolve({});
    },
    setJudgeBudget: ({ of, budget }) => {
      desk.setBudget(of, budget);
      return Promise.resolve({});
    },
    loadJudgeModel: async ({ model }) => {
      if (model === null) return lock(() => desk.useModel(null)).then(() => ({ name: null }));
      const host = await deps.openModel(model);
      try {
        checkCanJudge(host);
      } catch (error) {
        await host.dispose();
        throw error;
      }
      await lock(() => desk.useModel(host));
      return { name: host.info.name };
    },
    tryJudge: ({ judge: spec, rubric, promptId, answer }) =>
      trying(spec, async (judge, signal) => {
        const { tryJudge } = await import("./judge-trial.ts");
        return tryJudge({ judging, judge, signal }, rubric, { answer, prompt: deps.facts(promptId) });
      }),
    compareJudge: ({ judge: spec, rubric, labels, mostAnswers }) =>
      trying(spec, async (judge, signal) => {
        const { compareWithChecks, compareWithLabels } = await import("./judge-trial.ts");
        const trialDeps = { judging, judge, signal };
        const compared =
          labels === null
            ? await compareWithChecks(trialDeps, rubric, session.record, mostAnswers)
            : await compareWithLabels(trialDeps, rubric, labels);
        return { compared };
      }),
    ...memoryHandlers(desk),
    stopJudgeTrial: () => {
      trial.abort();
      return Promise.resolve({});
    },
  };
}

function memoryHandlers({ memory }: JudgeDesk): Pick<Handlers, "judgeMemory" | "forgetVerdicts"> {
  return {
    judgeMemory: async () => ({ keptBytes: await memory.keptBytes() }),
    forgetVerdicts: async () => {
      await memory.forget();
      return {};
    },
  };
}
