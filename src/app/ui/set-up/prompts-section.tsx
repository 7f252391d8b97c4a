/** A person's own prompts, one a line, with the words that the bundled model copies well and what was found in each line. */
import { ownPrompts } from "../../../domain/scenarios/own-prompts.ts";
import { useApp, usePage } from "../app-context.ts";
import { UnknownWords } from "../ask/unknown-words.tsx";
import { WordPicker } from "../ask/word-picker.tsx";
import { useText } from "../text/text-context.ts";

interface PromptsProps {
  /** null: this scenario has its own prompts. */
  readonly lines: string | null;
  /** Opened to write them: the cursor stands there. */
  readonly focus: boolean;
  readonly onLines: (lines: string) => void;
}

export function PromptsSection({ lines, focus, onLines }: PromptsProps) {
  const text = useText();
  const { words } = usePage();
  const bundled = useApp(({ model }) => model === null || model.identity === null);
  if (lines === null) return null;
  const insert = (word: string): void => {
    onLines(`${lines}${lines === "" || /\s$/.test(lines) ? "" : " "}${word}`);
  };
  const fields = text.setUp.fields;
  return (
    <section className="set-up-section">
      <h3>{text.setUp.prompts}</h3>
      <label className="form-field">
        <span>{text.editor.oneALine}</span>
        <textarea
          rows={9}
          data-first-focus={focus || undefined}
          value={lines}
          onChange={(event) => {
            onLines(event.target.value);
          }}
        />
      </label>
      {bundled && <UnknownWords typed={lines} />}
      <div className="form-row">
        <WordPicker label={text.ask.name} words={words.names} onPick={insert} />
        <WordPicker label={text.ask.product} words={words.products} onPick={insert} />
      </div>
      <p className="soft">{text.setUp.promptsHint}</p>
      <details>
        <summary>{text.setUp.found}</summary>
        <ul className="found-fields">
          {ownPrompts(lines).map((prompt) => (
            <li key={prompt.id}>
              {Object.entries(prompt.fields)
                .filter(([name]) => name in fields)
                .map(([name, value]) => `${fields[name] ?? name}: ${value}`)
                .join(" · ") || text.setUp.foundNothing}
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
