/** One answer: reward and its parts, advantage, tinted text, verdict dots. */
import { memo } from "react";
import type { Rollout, RolloutGroup } from "../../../domain/run/records.ts";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { fixed, number, signed } from "../format.ts";
import { Figure } from "../parts/figure.tsx";
import { Term } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { TintedText } from "./tinted-text.tsx";
import { VerdictDots } from "./verdict-dots.tsx";

interface CardProps {
  readonly group: RolloutGroup;
  readonly rollout: Rollout;
  readonly criteria: readonly Criterion[];
  /** Rank among the answers, in words. */
  readonly rank: string;
}

export const RolloutCard = memo(function RolloutCard({ group, rollout, criteria, rank }: CardProps) {
  const text = useText().rollouts;
  const parts = Object.entries(rollout.parts);
  return (
    <article className="rollout">
      <header>
        <span>{rank}</span>
        <span>
          <Term name="reward" />{" "}
          <b>
            <Figure width={5}>{fixed(rollout.reward, 3)}</Figure>
          </b>
        </span>
        <span>
          <Term name="advantage" />{" "}
          <b>
            <Figure width={6}>{signed(rollout.advantage)}</Figure>
          </b>
        </span>
      </header>
      <TintedText rollout={rollout} />
      <VerdictDots group={group} rollout={rollout} criteria={criteria} />
      {parts.length > 0 && (
        <details>
          <summary>{text.parts}</summary>
          <dl>
            {parts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{number(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </article>
  );
});
