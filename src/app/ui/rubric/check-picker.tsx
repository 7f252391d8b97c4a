/** Which check decides a criterion: a list by groups, and a search over names and explanations. Arrow keys move along the list. */
import { useId, useRef, useState, type KeyboardEvent } from "react";
import type { CheckDef } from "../../../domain/rubric/checks/check.ts";
import { checkGroups, type CheckGroup } from "../../../domain/rubric/checks/registry.ts";
import { hasJudge } from "../../store/planned-pressures.ts";
import { useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import "./check-picker.css";

interface Offered {
  readonly type: string;
  readonly title: string;
  readonly help: string;
}
interface OfferedGroup {
  readonly name: CheckGroup;
  readonly checks: readonly Offered[];
}

const ALL: readonly OfferedGroup[] = (Object.keys(checkGroups) as CheckGroup[]).map((name) => ({
  name,
  checks: Object.entries<CheckDef>(checkGroups[name]).map(([type, { title, help }]) => ({
    type,
    title,
    help,
  })),
}));
const countOf = (groups: readonly OfferedGroup[]): number =>
  groups.reduce((sum, { checks }) => sum + checks.length, 0);

/** The checks whose name, explanation or group holds every word that is looked for. */
function found(asked: string, groupWords: (name: CheckGroup) => string): readonly OfferedGroup[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (name: CheckGroup, { type, title, help }: Offered): boolean => {
    const text = `${type} ${title} ${help} ${groupWords(name)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return ALL.map(({ name, checks }) => ({ name, checks: checks.filter((each) => fits(name, each)) })).filter(
    ({ checks }) => checks.length > 0,
  );
}

interface PickerProps {
  /** null: nobody decides it yet. */
  readonly type: string | null;
  readonly onChoose: (type: string) => void;
}

export function CheckPicker({ type, onChoose }: PickerProps) {
  const text = useText();
  const judged = useApp(hasJudge);
  return (
    <>
      <label className="form-field">
        <span>{text.editor.check}</span>
        <select
          value={type ?? ""}
          onChange={(event) => {
            onChoose(event.target.value);
          }}
        >
          <option value="">{judged ? text.rubric.byJudge : text.editor.noCheck}</option>
          {ALL.map(({ name, checks }) => (
            <optgroup key={name} label={text.checks.groups[name].title}>
              {checks.map((each) => (
                <option key={each.type} value={each.type}>
                  {each.title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <details className="check-picker" open={type === null}>
        <summary>{text.checks.find}</summary>
        <CheckSearch type={type} onChoose={onChoose} />
      </details>
    </>
  );
}

function CheckSearch({ type, onChoose }: PickerProps) {
  const text = useText().checks;
  const [asked, setAsked] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const groups = found(asked, (name) => text.groups[name].title);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>("input, button") ?? [])];
    const next = buttons[buttons.indexOf(event.target as HTMLElement) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div ref={list} onKeyDown={move}>
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={asked}
        onChange={(event) => {
          setAsked(event.target.value);
        }}
      />
      <span className="soft" role="status">
        {groups.length === 0 ? text.noneFound : text.count(countOf(groups), countOf(ALL))}
      </span>
      <div className="check-list">
        {groups.map((group) => (
          <CheckGroupList key={group.name} group={group} type={type} onChoose={onChoose} />
        ))}
      </div>
    </div>
  );
}

function CheckGroupList({ group, type, onChoose }: PickerProps & { readonly group: OfferedGroup }) {
  const { title, help } = useText().checks.groups[group.name];
  const id = useId();
  return (
    <section role="group" aria-labelledby={id}>
      <h3 id={id}>
        {title} <span className="soft">{help}</span>
      </h3>
      {group.checks.map((each) => (
        <button
          key={each.type}
          type="button"
          aria-pressed={each.type === type}
          onClick={() => {
            onChoose(each.type);
          }}
        >
          <b>{each.title}</b> <span className="soft">{each.help}</span>
        </button>
      ))}
    </section>
  );
}
