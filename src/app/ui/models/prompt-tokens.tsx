/** A prompt exactly as the model reads it: every token's text and id, the template's own included. */
import { useState } from "react";
import type { PromptPiece } from "../../protocol/model-messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

/** What would not be seen as itself. */
const visible = (text: string): string => text.replaceAll("\n", "⏎").replaceAll(" ", "·");

export function PromptTokens() {
  const text = useText().models;
  const { promptTokens } = useActions();
  const prompt = useApp((state) => state.spec?.trainPrompts[0]);
  const model = useApp((state) => state.model);
  const [shown, setShown] = useState<{
    readonly of: unknown;
    readonly pieces: readonly PromptPiece[];
  } | null>(null);
  if (prompt === undefined || model === null) return null;
  const show = async (): Promise<void> => {
    setShown({ of: model, pieces: await promptTokens(prompt.messages) });
  };
  return (
    <section className="set-up-section">
      <h3>{text.tokens}</h3>
      <p className="soft">{text.tokensMeans}</p>
      {shown?.of === model ? (
        <>
          <p className="soft">{text.tokensOf(shown.pieces.length)}</p>
          <ol className="prompt-tokens">
            {shown.pieces.map(({ id, text: piece }, at) => (
              <li key={at}>
                <span>{visible(piece)}</span>
                <small>{id}</small>
              </li>
            ))}
          </ol>
        </>
      ) : (
        <div>
          <button type="button" className="pill small" onClick={() => void show()}>
            {text.showTokens}
          </button>
        </div>
      )}
    </section>
  );
}
