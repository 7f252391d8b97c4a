/** Where a scenario lives on a person's own prompts: says which ones it has now, and opens the place to write them. */
import { lazy, Suspense } from "react";
import { areLines, OWN_PROMPTS_SCENARIO } from "../set-up/draft.ts";
import { useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

const BeyondBundled = lazy(async () => ({
  default: (await import("../rubric/beyond-bundled.tsx")).BeyondBundled,
}));

interface Props {
  readonly onWrite: () => void;
  readonly onModel: () => void;
}

export function PromptsNotice({ onWrite, onModel }: Props) {
  const text = useText().ownPrompts;
  const own = useApp((state) => state.scenarioId === OWN_PROMPTS_SCENARIO);
  const prompts = useApp((state) => state.prompts);
  const count = prompts?.length ?? 0;
  const begun = useApp((state) => state.run.step > 0);
  if (!own || begun) return null;
  return (
    <>
      <div className="notice">
        <p>{count === 0 ? text.examples : text.yours(count)}</p>
        {(prompts === null || areLines(prompts)) && (
          <button type="button" className="pill small" onClick={onWrite}>
            {count === 0 ? text.write : text.change}
          </button>
        )}
      </div>
      {prompts !== null && (
        <Suspense>
          <BeyondBundled prompts={prompts} onModel={onModel} />
        </Suspense>
      )}
    </>
  );
}
