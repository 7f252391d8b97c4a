/** What is trained and where it computes, with the reason for the engine and the choice of another. */
import type { EngineChoice } from "../../protocol/model-messages.ts";
import { useApp } from "../app-context.ts";
import { number } from "../format.ts";
import { Term } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";

const CHOICES: readonly EngineChoice[] = ["auto", "wasm", "webgpu"];

interface ModelProps {
  readonly engine: EngineChoice;
  readonly onEngine: (engine: EngineChoice) => void;
}

export function ModelSection({ engine, onEngine }: ModelProps) {
  const text = useText();
  const model = useApp((state) => state.model);
  const missing = (choice: EngineChoice): boolean =>
    choice !== "auto" && model !== null && !model.available.includes(choice);
  return (
    <section className="set-up-section">
      <h3>{text.setUp.model}</h3>
      {model !== null && (
        <p>
          {model.name}, {model.architecture}:{" "}
          {[
            text.header.parameters(number(model.parameters / 1e6)),
            text.setUp.size(number(model.sizeBytes / 1e6)),
            text.setUp.adapter(number(model.adapterParameters / 1e3)),
          ].join(" · ")}
        </p>
      )}
      <div className="form-row" role="radiogroup" aria-label={text.terms.engine.label}>
        {CHOICES.map((choice) => (
          <label key={choice} className="form-check">
            <input
              type="radio"
              name="engine"
              checked={engine === choice}
              disabled={missing(choice)}
              onChange={() => {
                onEngine(choice);
              }}
            />
            {text.header.engines[choice]}
            {missing(choice) && <span className="soft">({text.setUp.notHere})</span>}
          </label>
        ))}
        <Term name="engine">?</Term>
      </div>
      {model !== null && (
        <p className="soft">
          {text.setUp.why}: {model.reason}
        </p>
      )}
    </section>
  );
}
