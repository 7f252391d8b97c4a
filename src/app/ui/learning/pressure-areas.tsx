/** Where each arm's reward goes over the steps: teaches, saturated, dead, too little seen; one picture an arm. */
import { useId } from "react";
import { Area, AreaChart, ResponsiveContainer, XAxis, YAxis } from "recharts";
import type { CriterionState } from "../../../domain/run/records.ts";
import { pressureSeries, type StateShares } from "../../store/series.ts";
import { percent } from "../format.ts";
import type { ArmLook } from "../parts/arm.tsx";
import { StateMark, StatePatterns } from "../parts/state-mark.tsx";
import { Term } from "../parts/term.tsx";
import { useRows } from "./use-rows.ts";

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
          <Term name="teaches" /> {percent(last?.learning)}
        </b>
      </h3>
      <div
        className="chart"
        style={{ height: HEIGHT, background: "var(--faint)", borderRadius: 4 }}
        role="img"
        aria-label={label}
        data-tip={label}
      >
        <ResponsiveContainer width="100%" height="100%" debounce={80}>
          <AreaChart
            data={points}
            margin={{ top: 0, right: 0, bottom: 0, left: 0 }}
            accessibilityLayer={false}
          >
            <StatePatterns id={id} />
            <XAxis hide dataKey="x" type="number" domain={[1, end]} />
            <YAxis hide domain={[0, 1]} allowDataOverflow />
            {ORDER.map((state) => (
              <Area
                key={state}
                dataKey={state}
                stackId="share"
                stroke="none"
                fill={fill[state]}
                fillOpacity={state === "learning" || state === "saturated" ? 0.75 : 1}
                isAnimationActive={false}
                activeDot={false}
              />
            ))}
          </AreaChart>
        </ResponsiveContainer>
      </div>
    </div>
  );
}
