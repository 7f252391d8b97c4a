/** Which reward rules train side by side; one alone is enough. */
import { rewardRuleNames, type RewardRuleName } from "../../../domain/run/spec.ts";
import { useText } from "../text/text-context.ts";

interface ArmsProps {
  readonly arms: readonly RewardRuleName[];
  readonly onArms: (arms: readonly RewardRuleName[]) => void;
}

/** Plain ones first, POW3R last: the order of bars and lines. */
const ORDER: readonly RewardRuleName[] = ["static-scalar", "category-balanced", "gdpo", "binary", "pow3r"];

export function ArmsSection({ arms, onArms }: ArmsProps) {
  const { rules, setUp } = useText();
  const toggle = (rule: RewardRuleName): void => {
    const chosen = arms.includes(rule) ? arms.filter((arm) => arm !== rule) : [...arms, rule];
    onArms(ORDER.filter((known) => chosen.includes(known)));
  };
  return (
    <section className="set-up-section">
      <h3>
        {setUp.arms} <span className="soft">{setUp.armsHint}</span>
      </h3>
      {rewardRuleNames.map((rule) => (
        <label key={rule} className="form-check arm-choice">
          <input
            type="checkbox"
            checked={arms.includes(rule)}
            onChange={() => {
              toggle(rule);
            }}
          />
          <i style={{ background: `var(--arm-${rule})` }} aria-hidden />
          <span>
            {rules[rule].name} <span className="soft">{rules[rule].means}</span>{" "}
            <code>{rules[rule].formula}</code>
          </span>
        </label>
      ))}
      {arms.length === 0 && <p className="form-problem">{setUp.oneArm}</p>}
    </section>
  );
}
