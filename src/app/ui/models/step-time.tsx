/** How long a step and a whole run will take on the loaded model, and what of the settings makes it shorter. */
import { useText } from "../text/text-context.ts";
import { span } from "./amounts.ts";

/** A step that takes longer than this makes a person wait. */
const LONG_MS = 5000;

interface Props {
  readonly stepMs: number;
  readonly steps: number;
}

export function StepTime({ stepMs, steps }: Props) {
  const text = useText().models;
  return (
    <p role="status">
      {text.step(span(stepMs), steps, span(stepMs * steps))} {stepMs > LONG_MS && text.shorterRun}
    </p>
  );
}
