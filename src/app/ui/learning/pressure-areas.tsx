/** Where each arm's reward goes over the steps: teaches, saturated, dead, too little seen; one picture an arm. */
import { useId } from "react";
import type { CriterionState } from "../../../domain/run/records.ts";
import { pressureSeries, teachingShare, type StateShares } from "../../store/series.ts";
import { percent } from "../format.ts";
import type { ArmLook } from "../parts/arm.tsx";
import { Figure } from "../parts/figure.tsx";
import { StateMark, StatePatterns } from "../parts/state-mark.tsx";
import { Term } from "../parts/term.tsx";
import { bandPath, linearScale } from "./plot.ts";
import { useRows } from "./use-rows.ts";
import { useWidth } from "./use-width.ts";

const HEIGHT = 116;
const ORDER = ["learning", "saturated", "dead", "unseen"] as const satisfies readonly CriterionState[];

export function PressureAreas({ arms }: { readonly arms: readonly ArmLook[] }) {
  return (
    <>
      <div className="side-by-side">
        {arms.map((arm) => (
          <ArmArea key={arm.id} arm={arm} />
        ))}
      </div>
      <div className="state-key">
        {ORDER.map((state) => (
          <StateMark key={state} state={state} />
        ))}
      </div>
    </>
  );
}

function ArmArea({ arm }: { readonly arm: ArmLook }) {
  const id = useId().replaceAll(":", "");
  const { buffer, maxStep } = useRows();
  const points = pressureSeries(buffer.steps(arm.id));
  const last: StateShares | undefined = points.at(-1);
  const end = Math.max(maxStep, points.at(-1)?.x ?? 1, 2);
  const [element, width] = useWidth<HTMLDivElement>();
  const fill: Readonly<Record<CriterionState, string>> = {
    learning: "var(--learning)",
    saturated: "var(--saturated)",
    dead: `url(#${id}-dead)`,
    unseen: `url(#${id}-unseen)`,
  };
  const label = `${arm.name}: ${ORDER.map((state) => `${state} ${percent(last?.[state])}`).join(", ")}`;
  return (
    <div>
      <h3>
        <i style={{ background: arm.color }} />
        {arm.name}
        <b>
          <Term name="teaches" /> <Figure width={5}>{percent(teachingShare(last))}</Figure>
        </b>
      </h3>
      <div
        className="chart"
        ref={element}
        style={{ height: HEIGHT, background: "var(--faint)", borderRadius: 4 }}
        role="img"
        aria-label={label}
        data-tip={label}
      >
        {width > 0 && (
          <svg width={width} height={HEIGHT} aria-hidden>
            <StatePatterns id={id} />
            {ORDER.map((state) => (
              <path
                key={state}
                className="chart-area"
                d={sharePath(points, state, { end, width })}
                fill={fill[state]}
                fillOpacity={state === "learning" || state === "saturated" ? 0.75 : 1}
              />
            ))}
          </svg>
        )}
      </div>
    </div>
  );
}

/** One state's share on top of those before it in the order. */
function sharePath(
  points: ReturnType<typeof pressureSeries>,
  state: CriterionState,
  { end, width }: { readonly end: number; readonly width: number },
): string {
  const x = linearScale([1, end], 0, width);
  const y = linearScale([0, 1], HEIGHT, 0);
  const below = ORDER.slice(0, ORDER.indexOf(state));
  return bandPath(
    points.map((point) => {
      const low = below.reduce((sum, other) => sum + point[other], 0);
      return [x(point.x), y(low), y(low + point[state])];
    }),
  );
}
