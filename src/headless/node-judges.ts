/** The judges of a run under Node: endpoints with the key that the environment holds as JUDGE_KEY, or the run's own base. */
import { setTimeout as wait } from "node:timers/promises";
import { PlaygroundError } from "../base/errors.ts";
import type { JudgeSpec, LocalJudgeSpec } from "../domain/run/judge-spec.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import type { TrainingDeps } from "../training/deps.ts";
import type { CriterionJudge } from "../training/judging.ts";
import { createJudgeMeter } from "../training/judges/judge-meter.ts";
import type { JudgeModel } from "../training/judges/local-judge.ts";
import { createJudge } from "../training/judges/registry.ts";
import { createVerdictCache } from "../training/judges/verdict-cache.ts";

const NO_BOUND = { maxCalls: null, maxTotalTokens: null };

/**
 * @param key sent to every endpoint that the run names; null = none
 * @throws PlaygroundError `judge-refused` where the bundled model is to judge
 */
export function openJudges(
  { judge, heldOutJudge, seed, model }: RunSpec,
  base: JudgeModel,
  key: string | null,
): Pick<TrainingDeps, "judge" | "heldOutJudge"> {
  const cacheFor = cachesByName();
  for (const spec of [judge, heldOutJudge])
    if (spec?.kind === "local" && (spec.model !== "base" || model === undefined))
      throw cannotJudge(spec.model);
  const open = (spec: JudgeSpec | undefined): CriterionJudge | null =>
    spec === undefined
      ? null
      : createJudge(spec, {
          ...{ cacheFor, seed, meter: createJudgeMeter() },
          fetch: (url, init) => fetch(url, init),
          wallClock: () => Date.now(),
          sleep: (ms, signal) =>
            wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
          keyFor: () => key,
          budget: () => (spec.kind === "endpoint" ? spec : NO_BOUND),
          model: () => Promise.resolve(base),
        });
  return { judge: open(judge), heldOutJudge: open(heldOutJudge) };
}

function cachesByName() {
  const caches = new Map<string, ReturnType<typeof createVerdictCache>>();
  return (name: string) => {
    const cache = caches.get(name) ?? createVerdictCache();
    caches.set(name, cache);
    return Promise.resolve(cache);
  };
}

function cannotJudge(model: LocalJudgeSpec["model"]): PlaygroundError {
  return new PlaygroundError({
    code: "judge-refused",
    where: "judge",
    expected: "an endpoint, or the base of a run that was made on a real model",
    got: model === "base" ? "the bundled model, which was never trained to judge" : "a second model",
    next: "Serve the judge by an OpenAI-compatible server and name that.",
  });
}
