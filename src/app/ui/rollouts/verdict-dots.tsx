/** A rollout's verdicts as dots, grouped by category; hovering one lights its criterion up everywhere. */
import { memo } from "react";
import type { Rollout, RolloutGroup } from "../../../domain/run/records.ts";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { verdictsByCategory, type VerdictMark } from "../../store/rollout-view.ts";
import { useActions, useApp } from "../app-context.ts";
import { number, verdictKind } from "../format.ts";
import { useText } from "../text/text-context.ts";
import type { Text } from "../text/en.ts";

/** A verdict in words, with what decided it. */
export function verdictWords(mark: VerdictMark, text: Text): string {
  const kind = verdictKind(mark.verdict);
  const { met, notMet, partly, noVerdict, flipped } = text.rollouts;
  const word = { pass: met, fail: notMet, part: `${partly} ${number(mark.verdict)}`, missing: noVerdict }[
    kind
  ];
  const lines = [`${mark.text}: ${word}`, mark.reason, mark.flipped ? flipped : ""];
  return lines.filter(Boolean).join("\n");
}

export function verdictClass(mark: VerdictMark): string {
  return `verdict-dot ${verdictKind(mark.verdict)}${mark.flipped ? " flipped" : ""}`;
}

/** What the squares stand for; those that this group has not are left out. */
export function VerdictKey({ group }: { readonly group: RolloutGroup }) {
  const text = useText().rollouts;
  const verdicts = group.rollouts.flatMap((rollout) => rollout.verdicts);
  const flipped = group.rollouts.some(({ verdicts: own, verdictsBeforeNoise: before }) =>
    own.some((verdict, i) => verdict !== (before[i] ?? null)),
  );
  const entries = [
    ["pass", text.met],
    ["fail", text.notMet],
    ...(verdicts.some((verdict) => verdictKind(verdict) === "part") ? [["part", text.partly]] : []),
    ...(verdicts.includes(null) ? [["missing", text.noVerdict]] : []),
    ...(flipped ? [["pass flipped", text.flipped]] : []),
  ];
  return (
    <p className="verdict-key soft">
      {text.squares}
      {entries.map(([kind, words]) => (
        <span key={kind}>
          <i className={`verdict-dot ${kind ?? ""}`} aria-hidden /> {words}
        </span>
      ))}
    </p>
  );
}

interface DotsProps {
  readonly group: RolloutGroup;
  readonly rollout: Rollout;
  readonly criteria: readonly Criterion[];
}

export const VerdictDots = memo(function VerdictDots({ group, rollout, criteria }: DotsProps) {
  const categories = verdictsByCategory(group, rollout, criteria);
  return (
    <div className="verdict-dots">
      {categories.map(({ category, marks }) => {
        const met = marks.filter((mark) => mark.verdict === 1).length;
        return (
          <span
            key={category}
            role="img"
            aria-label={`${category}: ${String(met)} / ${String(marks.length)}`}
          >
            {marks.map((mark) => (
              <Dot key={mark.criterionId} mark={mark} />
            ))}
          </span>
        );
      })}
    </div>
  );
});

function Dot({ mark }: { readonly mark: VerdictMark }) {
  const text = useText();
  const actions = useActions();
  const id = mark.criterionId;
  const lit = useApp((state) => state.hovered === id || state.pinnedCriterion === id);
  return (
    <i
      className={`${verdictClass(mark)}${lit ? " lit" : ""}`}
      data-tip={verdictWords(mark, text)}
      onPointerEnter={() => {
        actions.hover(id);
      }}
      onPointerLeave={() => {
        actions.hover(null);
      }}
    />
  );
}
