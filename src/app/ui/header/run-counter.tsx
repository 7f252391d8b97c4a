/** Steps done, speed, time left: a place of fixed size, whatever the numbers are. */
import { useApp } from "../app-context.ts";
import { duration, number } from "../format.ts";
import { Figure } from "../parts/figure.tsx";
import type { Text } from "../text/en.ts";
import { useText } from "../text/text-context.ts";

/** Below this many steps a second a person counts the seconds of one. */
const SLOW = 0.1;

const pace = (perSecond: number, text: Text["header"]): string =>
  perSecond < SLOW ? text.perStep(number(1 / perSecond)) : text.speed(number(perSecond));

export function RunCounter() {
  const text = useText().header;
  const step = useApp((state) => state.run.step);
  const maxSteps = useApp((state) => state.run.maxSteps);
  const running = useApp((state) => state.run.phase === "running");
  const speed = useApp((state) => state.stepsPerSecond);
  const leftMs = useApp((state) => state.trainLeftMs);
  const saved = useApp((state) => state.lastSavedStep);
  const details = [
    running && speed !== null ? pace(speed, text) : "",
    running && leftMs !== null ? text.left(duration(leftMs)) : "",
    !running && saved !== null ? text.saved(saved) : "",
  ].filter(Boolean);
  return (
    <span className="run-counter">
      <span>
        <b>
          <Figure width={String(maxSteps).length}>{String(step)}</Figure>
        </b>{" "}
        {text.steps(step, maxSteps)}
      </span>
      <small>{details.join(" · ")}</small>
    </span>
  );
}
