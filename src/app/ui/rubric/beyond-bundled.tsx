/** Says of prompts that the bundled model was not trained for them, and offers a real one; nothing where it knows all their words. */
import { useMemo } from "react";
import type { ScenarioPrompt } from "../../../domain/run/spec.ts";
import { beyondBundled } from "../../../domain/scenarios/unknown-words.ts";
import { useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

const WORDS_NAMED = 4;

interface Props {
  readonly prompts: readonly ScenarioPrompt[];
  readonly onModel: () => void;
}

export function BeyondBundled({ prompts, onModel }: Props) {
  const text = useText().importing;
  const bundled = useApp(({ model }) => model === null || model.identity === null);
  const beyond = useMemo(() => beyondBundled(prompts), [prompts]);
  if (!bundled || beyond.prompts === 0) return null;
  const { words } = beyond;
  return (
    <div className="notice" role="status">
      <p>{text.unknown(words.length, words.slice(0, WORDS_NAMED), [beyond.prompts, prompts.length])}</p>
      <button type="button" className="pill small" onClick={onModel}>
        {text.model}
      </button>
    </div>
  );
}
