/** The model that is loaded, and what a step of the present settings costs on it. */
import type { ModelOrigin } from "../../protocol/model-messages.ts";
import { useApp } from "../app-context.ts";
import { number } from "../format.ts";
import { useText } from "../text/text-context.ts";
import { count } from "./amounts.ts";
import { MemoryTable } from "./memory-table.tsx";
import { StepTime } from "./step-time.tsx";
import { useForecast } from "./use-forecast.ts";

/** Of which commit it is, what was compared with the hub, and whether it is kept. */
function Origin({ origin: { from, commit, hashed, notKept } }: { readonly origin: ModelOrigin }) {
  const text = useText().models;
  return (
    <>
      <p className="soft">
        {[
          ...(commit === null ? [] : [text.commit(commit)]),
          hashed.length === 0 ? text.notHashed : text.hashed(hashed.length),
          ...(from === "storage" ? [text.fromStorage] : notKept === null ? [text.isKeptNow] : []),
        ].join(" · ")}
      </p>
      {notKept !== null && (
        <p className="form-problem" role="status">
          {notKept}
        </p>
      )}
    </>
  );
}

export function LoadedModel() {
  const words = useText();
  const text = words.models;
  const model = useApp((state) => state.model);
  const grpo = useApp((state) => state.settings.grpo);
  const arms = useApp((state) => state.settings.arms.length);
  const forecast = useForecast({ grpo, arms });
  return (
    <section className="set-up-section">
      <h3>
        {text.now}: {model?.name ?? text.none}
      </h3>
      {model !== null && (
        <>
          <p>
            {text.parameters(count(model.parameters))} ·{" "}
            {model.identity !== null && `${text.storages[model.identity.storage]} · `}
            {words.setUp.adapter(number(model.adapterParameters / 1e3))}
          </p>
          <p className="soft">{model.reason}</p>
          {model.origin != null && <Origin origin={model.origin} />}
        </>
      )}
      {model !== null && (
        <details>
          <summary>{text.memory}</summary>
          {forecast !== null && <MemoryTable plan={forecast.plan} />}
        </details>
      )}
      {forecast?.stepMs != null && <StepTime stepMs={forecast.stepMs} steps={grpo.max_steps} />}
    </section>
  );
}
