/** The arms that train side by side, six at most: each has a name, a reward rule and, for POW3R, constants of its own. */
import { pow3rConfigSchema, rewardRuleNames, type RewardRuleName } from "../../../domain/run/spec.ts";
import type { ScenarioSetUp } from "../../../domain/scenarios/scenario.ts";
import { armOf } from "../../store/set-up.ts";
import { armLooks, type ArmLook } from "../parts/arm.tsx";
import { useText } from "../text/text-context.ts";
import { freeArmId, type ArmDraft } from "./draft.ts";
import { fieldsOf, SettingsForm } from "./settings-form.tsx";

const MOST_ARMS = 6;
const POW3R_FIELDS = fieldsOf(pow3rConfigSchema);

interface ArmsProps {
  readonly arms: readonly ArmDraft[];
  /** Its constants are those of a new arm. */
  readonly setUp: ScenarioSetUp;
  readonly onArms: (arms: readonly ArmDraft[]) => void;
}

export function ArmsSection({ arms, setUp, onArms }: ArmsProps) {
  const text = useText();
  const looks = armLooks(arms, text.rules);
  const ids = arms.map(({ id }) => id);
  const add = (): void => {
    const rule = rewardRuleNames.find((name) => !arms.some((arm) => arm.rule === name)) ?? "pow3r";
    onArms([...arms, { ...armOf(rule, setUp), id: freeArmId(rule, ids) }]);
  };
  return (
    <section className="set-up-section">
      <h3>
        {text.setUp.arms} <span className="soft">{text.setUp.armsHint}</span>
      </h3>
      {arms.map((arm, at) => (
        <ArmEditor
          key={at}
          at={at + 1}
          arm={arm}
          look={looks[at]}
          others={ids.filter((_, other) => other !== at)}
          onArm={(next) => {
            onArms(arms.map((each, i) => (i === at ? next : each)));
          }}
          onRemove={() => {
            onArms(arms.filter((_, i) => i !== at));
          }}
        />
      ))}
      <div className="form-row">
        <button type="button" className="pill small" disabled={arms.length >= MOST_ARMS} onClick={add}>
          {text.armsEditor.add}
        </button>
        {arms.length >= MOST_ARMS && <span className="soft">{text.armsEditor.most}</span>}
      </div>
    </section>
  );
}

interface EditorProps {
  /** From 1. */
  readonly at: number;
  readonly arm: ArmDraft;
  readonly look: ArmLook | undefined;
  /** Names of the other arms. */
  readonly others: readonly string[];
  readonly onArm: (arm: ArmDraft) => void;
  readonly onRemove: () => void;
}

function ArmEditor({ at, arm, look, others, onArm, onRemove }: EditorProps) {
  const { rules, armsEditor: text } = useText();
  /** A name made of the rule follows it; one that a person gave stays. */
  const setRule = (rule: RewardRuleName): void => {
    const named = arm.id.replace(/-\d+$/, "") !== arm.rule;
    onArm({ ...arm, rule, id: named ? arm.id : freeArmId(rule, others) });
  };
  return (
    <fieldset className="arm-editor">
      <div className="arm-editor-row">
        <i style={{ background: look?.color }} aria-hidden />
        <input
          aria-label={text.nameOf(at)}
          value={arm.id}
          onChange={({ target }) => {
            onArm({ ...arm, id: target.value });
          }}
        />
        <select
          aria-label={text.ruleOf(at)}
          value={arm.rule}
          onChange={({ target }) => {
            const rule = rewardRuleNames.find((name) => name === target.value);
            if (rule !== undefined) setRule(rule);
          }}
        >
          {rewardRuleNames.map((rule) => (
            <option key={rule} value={rule}>
              {rules[rule].name}
            </option>
          ))}
        </select>
        <button type="button" className="pill small" aria-label={text.removeOf(arm.id)} onClick={onRemove}>
          {text.remove}
        </button>
      </div>
      <p className="soft">
        {rules[arm.rule].means} <code>{rules[arm.rule].formula}</code>
      </p>
      {arm.grpo !== undefined && (
        <p className="soft">
          {text.own(
            Object.entries(arm.grpo)
              .map(([name, value]) => `${name} ${String(value)}`)
              .join(", "),
          )}
        </p>
      )}
      {arm.rule === "pow3r" && (
        <details>
          <summary aria-label={text.constantsOf(arm.id)}>{text.constants}</summary>
          <SettingsForm
            group="pow3r"
            fields={POW3R_FIELDS}
            values={arm.pow3r}
            onChange={(pow3r) => {
              onArm({ ...arm, pow3r });
            }}
          />
        </details>
      )}
    </fieldset>
  );
}
