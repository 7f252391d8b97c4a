/** How an arm looks everywhere: its colour, its dash, its name. */
import { useMemo } from "react";
import type { RewardRuleName } from "../../../domain/run/spec.ts";
import { useApp } from "../app-context.ts";
import { Explained } from "./term.tsx";
import { useText } from "../text/text-context.ts";
import "./arm.css";

export interface ArmLook {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  /** SVG dash pattern, so that colour is not the only difference. */
  readonly dash: string;
  readonly means: string;
}

const DASH: Readonly<Record<RewardRuleName, string>> = {
  pow3r: "0",
  "static-scalar": "0",
  "category-balanced": "7 3",
  gdpo: "2 3",
  binary: "8 3 2 3",
};

/** The looks of the run's arms in their order; before there is a run, of the arms it will have. */
export function useArms(): readonly ArmLook[] {
  const { rules } = useText();
  const spec = useApp((state) => state.spec);
  const planned = useApp((state) => state.settings.arms);
  return useMemo(() => {
    const arms = spec?.arms ?? planned.map((rule) => ({ id: rule, rule }));
    return arms.map(({ id, rule }) => ({
      id,
      name: id === rule ? rules[rule].name : id,
      color: `var(--arm-${rule})`,
      dash: DASH[rule],
      means: `${rules[rule].means} ${rules[rule].formula}`,
    }));
  }, [rules, spec, planned]);
}

/** Which colour is which arm. */
export function ArmKey({ arms }: { readonly arms: readonly ArmLook[] }) {
  return (
    <span className="arm-key">
      {arms.map((arm) => (
        <span key={arm.id}>
          <svg width="18" height="4" aria-hidden>
            <line
              x1="0"
              x2="18"
              y1="2"
              y2="2"
              stroke={arm.color}
              strokeWidth="3"
              strokeDasharray={arm.dash}
            />
          </svg>
          <Explained means={arm.means}>{arm.name}</Explained>
        </span>
      ))}
    </span>
  );
}

/** Chooses the arm whose rates, states and rollouts are shown. */
export function ArmSwitch(props: {
  readonly arms: readonly ArmLook[];
  readonly focus: string;
  readonly label: string;
  readonly onFocus: (arm: string) => void;
}) {
  if (props.arms.length < 2) return null;
  return (
    <span className="arm-switch" role="group" aria-label={props.label}>
      {props.arms.map((arm) => (
        <button
          key={arm.id}
          type="button"
          aria-pressed={arm.id === props.focus}
          onClick={() => {
            props.onFocus(arm.id);
          }}
        >
          <i style={{ background: arm.color }} aria-hidden />
          {arm.name}
        </button>
      ))}
    </span>
  );
}
