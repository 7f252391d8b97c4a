/** Says what becomes of a person's edits of the rubric when scenario or set-up change: they are kept, and come back. */
import { useState } from "react";
import type { Scenario } from "../../../domain/scenarios/scenario.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

interface Seen {
  readonly scenarioId: string;
  readonly setUpId: string;
  readonly edited: boolean;
  /** Where edits were left behind; null where none were, or it was dismissed. */
  readonly left: string | null;
  /** The edits on show are from before. */
  readonly returned: boolean;
}

export function EditsNotice() {
  const text = useText();
  const { app } = usePage();
  const actions = useActions();
  const quiet = useApp((state) => state.savedRuns.length > 0 || state.run.step > 0);
  const { scenarioId, setUpId, edited } = useEdited(app.scenarios);
  const [seen, setSeen] = useState<Seen>({ scenarioId, setUpId, edited, left: null, returned: edited });
  const moved = seen.scenarioId !== scenarioId || seen.setUpId !== setUpId;
  if (moved) {
    const left = seen.edited ? nameOf(app.scenarios, seen) : null;
    setSeen({ scenarioId, setUpId, edited, left, returned: edited });
  } else if (seen.edited !== edited) {
    setSeen({ ...seen, edited, returned: seen.returned && edited });
  }
  // the offer of a run that was left says it too
  const left = quiet ? null : seen.left;
  if (left === null && !seen.returned) return null;
  return (
    <div className="notice" role="status">
      <p>
        {left !== null && text.edits.kept(left)} {seen.returned && text.edits.returned}
      </p>
      {seen.returned && (
        <button type="button" className="pill small" onClick={actions.restoreRubric}>
          {text.rubric.restore}
        </button>
      )}
      <button
        type="button"
        className="pill small"
        onClick={() => {
          setSeen({ ...seen, left: null, returned: false });
        }}
      >
        {text.edits.fine}
      </button>
    </div>
  );
}

function nameOf(scenarios: readonly Scenario[], { scenarioId, setUpId }: Seen): string {
  const scenario = scenarios.find((known) => known.id === scenarioId);
  const setUp = scenario?.setUps.find((known) => known.id === setUpId);
  return `${scenario?.title ?? scenarioId}, ${setUp?.title ?? setUpId}`;
}

/** Which rubric is on show, and whether it is another than its set-up's own. */
function useEdited(scenarios: readonly Scenario[]): Pick<Seen, "scenarioId" | "setUpId" | "edited"> {
  const scenarioId = useApp((state) => state.scenarioId);
  const setUpId = useApp((state) => state.setUpId);
  const edited = useApp((state) => {
    const scenario = scenarios.find((known) => known.id === state.scenarioId);
    const own = scenario?.setUps.find((known) => known.id === state.setUpId)?.rubric;
    return own !== state.rubric && JSON.stringify(own) !== JSON.stringify(state.rubric);
  });
  return { scenarioId, setUpId, edited };
}
