/** A criterion's state as dot, pattern and word: never colour alone. With a reason it takes the focus, to tell it by keyboard. */
import type { CriterionState } from "../../../domain/run/records.ts";
import { useText } from "../text/text-context.ts";
import "./state-mark.css";

export function StateMark({ state, reason }: { readonly state: CriterionState; readonly reason?: string }) {
  const text = useText();
  const said = `${text.states[state]}: ${reason ?? ""}`;
  const explains = reason === undefined ? {} : { role: "note", tabIndex: 0, "aria-label": said };
  return (
    <span className={`state-mark ${state}`} data-tip={reason ?? text.terms[state].means} {...explains}>
      <i aria-hidden />
      {text.states[state]}
    </span>
  );
}

/** Pattern fills for charts: hatch for dead, dots for what is too little seen. `id` keeps several charts apart. */
export function StatePatterns({ id }: { readonly id: string }) {
  return (
    <defs>
      <pattern
        id={`${id}-dead`}
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="5" height="5" fill="var(--dead)" fillOpacity="0.35" />
        <rect width="2" height="5" fill="var(--dead)" />
      </pattern>
      <pattern id={`${id}-unseen`} width="5" height="5" patternUnits="userSpaceOnUse">
        <rect width="5" height="5" fill="var(--unseen)" fillOpacity="0.35" />
        <circle cx="2.5" cy="2.5" r="1" fill="var(--unseen)" />
      </pattern>
    </defs>
  );
}
