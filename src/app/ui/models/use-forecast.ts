/** What a step of some settings costs on the loaded model, asked of the worker whenever they or the model change. */
import { useEffect, useState } from "react";
import type { GrpoConfig } from "../../../domain/grpo/config.ts";
import type { RunSize, StepForecast } from "../../protocol/model-messages.ts";
import { useActions, useApp } from "../app-context.ts";

/** null while there is no model or no size, and until the answer is there. */
export function useForecast(size: RunSize | null): StepForecast | null {
  const { forecastStep } = useActions();
  const model = useApp((state) => state.model);
  const key = model === null || size === null ? null : JSON.stringify([model.name, model.identity, size]);
  const [told, setTold] = useState<{ readonly of: string; readonly forecast: StepForecast } | null>(null);
  useEffect(() => {
    if (key === null) return undefined;
    let gone = false;
    const [, , asked] = JSON.parse(key) as [string, unknown, RunSize];
    forecastStep(asked).then(
      (forecast) => {
        if (!gone) setTold({ of: key, forecast });
      },
      () => undefined, // without a model there is nothing to foretell, and the page says that there is none
    );
    return () => {
      gone = true;
    };
  }, [key, forecastStep]);
  return told !== null && told.of === key ? told.forecast : null;
}

/** The settings with gradient passes small enough to fit; the same object where those that are set fit. */
export function withFittingPasses(grpo: GrpoConfig, forecast: StepForecast | null): GrpoConfig {
  const all = grpo.num_generations * grpo.prompts_per_step;
  const asked = Math.min(all, grpo.micro_batch_size ?? all);
  const fits = forecast?.plan.microBatch ?? asked;
  return fits < asked ? { ...grpo, micro_batch_size: fits } : grpo;
}
