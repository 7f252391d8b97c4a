/** How an arm looks everywhere: its colour, its dash, its name. */
import { useMemo } from "react";
import type { ArmSpec, RewardRuleName } from "../../../domain/run/spec.ts";
import { useApp } from "../app-context.ts";
import { Explained } from "./term.tsx";
import type { Text } from "../text/en.ts";
import { useText } from "../text/text-context.ts";
import "./arm.css";

export interface ArmLook {
  readonly id: string;
  readonly rule: RewardRuleName;
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

interface Paint {
  readonly color: string;
  readonly dash: string;
}

/** The paint that no rule owns. */
const SIXTH: Paint = { color: "var(--arm-6)", dash: "1 4" };
const paintOf = (rule: RewardRuleName): Paint => ({ color: `var(--arm-${rule})`, dash: DASH[rule] });
/** Second and later arms of a rule look like none of that rule: dashes of their own tell them from the colour's owner. */
const SPARE: readonly Paint[] = [
  SIXTH,
  ...(["gdpo", "category-balanced", "binary", "pow3r", "static-scalar"] as const).map((rule) => ({
    color: `var(--arm-${rule})`,
    dash: "10 3",
  })),
];

/** A paint an arm, up to six: a rule's first arm has the rule's own, the others what is left. */
function paints(rules: readonly RewardRuleName[]): readonly Paint[] {
  const first = (rule: RewardRuleName, at: number): boolean => rules.indexOf(rule) === at;
  const taken = new Set(rules.map((rule) => paintOf(rule).color));
  const left = SPARE.filter(({ color }) => !taken.has(color));
  return rules.map((rule, at) => (first(rule, at) ? paintOf(rule) : (left.shift() ?? SIXTH)));
}

type Arm = Pick<ArmSpec, "id" | "rule">;

/** How arms look, in their order; an arm that is named by its rule has the rule's short name. */
export function armLooks(arms: readonly Arm[], rules: Text["rules"]): readonly ArmLook[] {
  const painted = paints(arms.map(({ rule }) => rule));
  return arms.map(({ id, rule }, at) => ({
    id,
    rule,
    name: id === rule ? rules[rule].name : id,
    ...(painted[at] ?? SIXTH),
    means: `${rules[rule].means} ${rules[rule].formula}`,
  }));
}

/** The looks of the run's arms in their order; before there is a run, of the arms it will have. */
export function useArms(): readonly ArmLook[] {
  const { rules } = useText();
  const spec = useApp((state) => state.spec);
  const planned = useApp((state) => state.settings.arms);
  return useMemo(() => armLooks(spec?.arms ?? planned, rules), [rules, spec, planned]);
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
