/** In the set-up sheet: memory and time of a step of the drafted settings on the loaded model. */
import type { GrpoConfig } from "../../../domain/grpo/config.ts";
import type { StepForecast } from "../../protocol/model-messages.ts";
import { useText } from "../text/text-context.ts";
import { MemoryTable } from "./memory-table.tsx";
import { StepTime } from "./step-time.tsx";
import { withFittingPasses } from "./use-forecast.ts";
import "./models.css";

interface Props {
  /** As drafted; null while that is no settings. */
  readonly grpo: GrpoConfig | null;
  readonly forecast: StepForecast | null;
}

export function SetUpForecast({ grpo, forecast }: Props) {
  const text = useText().models;
  if (forecast === null || grpo === null) return null;
  const fitted = withFittingPasses(grpo, forecast);
  return (
    <>
      {forecast.stepMs !== null && <StepTime stepMs={forecast.stepMs} steps={grpo.max_steps} />}
      {fitted !== grpo && <p>{text.fitted(String(fitted.micro_batch_size))}</p>}
      <details open={!forecast.plan.fits}>
        <summary>{text.memory}</summary>
        <MemoryTable plan={forecast.plan} />
      </details>
    </>
  );
}
