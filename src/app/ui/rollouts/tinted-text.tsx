/** An answer's text, tinted by how far the update moved each token's chance. */
import { memo } from "react";
import type { Rollout } from "../../../domain/run/records.ts";
import { tintedRuns, type Tint } from "../../store/rollout-view.ts";
import { signed } from "../format.ts";
import { useText } from "../text/text-context.ts";

const tintClass = (tint: Tint): string => (tint > 0 ? `up-${String(tint)}` : `down-${String(-tint)}`);

export const TintedText = memo(function TintedText({ rollout }: { readonly rollout: Rollout }) {
  const text = useText().rollouts;
  if (rollout.text === "") return <p className="answer soft">{text.nothing}</p>;
  const runs = rollout.tokens.length === 0 ? [] : tintedRuns(rollout.tokens);
  return (
    <p className="answer">
      {runs.length === 0 && rollout.text}
      {runs.map((run, i) =>
        run.tint === null || run.tint === 0 ? (
          run.text
        ) : (
          <mark key={i} className={tintClass(run.tint)} data-tip={text.change(signed(run.change))}>
            {run.text}
          </mark>
        ),
      )}
      {!rollout.ended && (
        <span className="soft" data-tip={text.cut}>
          {" "}
          ✂
        </span>
      )}
    </p>
  );
});

/** What the tints mean. */
export function TintKey() {
  const text = useText().rollouts.key;
  return (
    <span className="tint-key soft">
      {text.less}
      <span aria-hidden>
        {([-3, -2, -1, 1, 2, 3] as const).map((tint) => (
          <mark key={tint} className={tintClass(tint)} />
        ))}
      </span>
      {text.more}
    </span>
  );
}
