/** In the set-up sheet, for a model other than the bundled one: memory and time of a step of the drafted settings. */
import { grpoConfigSchema } from "../../../domain/grpo/config.ts";
import { useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { MemoryTable } from "./memory-table.tsx";
import { StepTime } from "./step-time.tsx";
import { useForecast } from "./use-forecast.ts";
import "./models.css";

interface Props {
  /** As typed: may not be settings yet. */
  readonly grpo: unknown;
  readonly arms: number;
}

export function SetUpForecast({ grpo, arms }: Props) {
  const text = useText().models;
  const own = useApp((state) => (state.model?.identity ?? null) !== null);
  const parsed = grpoConfigSchema.safeParse(grpo);
  const forecast = useForecast(own && parsed.success ? { grpo: parsed.data, arms } : null);
  if (forecast === null) return null;
  return (
    <>
      {forecast.stepMs !== null && parsed.success && (
        <StepTime stepMs={forecast.stepMs} steps={parsed.data.max_steps} />
      )}
      <details open={!forecast.plan.fits}>
        <summary>{text.memory}</summary>
        <MemoryTable plan={forecast.plan} />
      </details>
    </>
  );
}
