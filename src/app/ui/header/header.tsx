/** The top line: what is trained, on what, and the run's buttons. */
import { usePage, useActions, useApp } from "../app-context.ts";
import { number } from "../format.ts";
import { useText } from "../text/text-context.ts";
import { ExportMenu } from "./export-menu.tsx";
import { useLeaveRun } from "./leave-run.tsx";
import { RunControls } from "./run-controls.tsx";
import { RunCounter } from "./run-counter.tsx";
import "./header.css";

export type PageSheet =
  "glossary" | "set-up" | "prompts" | "ask" | "saved" | "simulator" | "model" | "start" | "merged";

export function Header({ onOpen }: { readonly onOpen: (sheet: PageSheet) => void }) {
  const text = useText();
  return (
    <header className="header">
      <h1>{text.name}</h1>
      <ScenarioChoice />
      <button
        type="button"
        className="pill"
        onClick={() => {
          onOpen("set-up");
        }}
      >
        {text.header.settings}
      </button>
      <ModelChip
        onOpen={() => {
          onOpen("model");
        }}
      />
      <RunControls />
      <RunCounter />
      <button
        type="button"
        className="pill"
        onClick={() => {
          onOpen("ask");
        }}
      >
        {text.header.ask}
      </button>
      <ExportMenu
        onSavedRuns={() => {
          onOpen("saved");
        }}
        onStart={() => {
          onOpen("start");
        }}
        onMerged={() => {
          onOpen("merged");
        }}
      />
    </header>
  );
}

function ScenarioChoice() {
  const text = useText();
  const { app } = usePage();
  const actions = useActions();
  const leave = useLeaveRun();
  const scenarioId = useApp((state) => (state.opening ?? state).scenarioId);
  const setUpId = useApp((state) => (state.opening ?? state).setUpId);
  const busy = useApp((state) => state.run.phase === "loading");
  const scenario = app.scenarios.find((known) => known.id === scenarioId);
  return (
    <span className="scenario-choice">
      <select
        aria-label={text.header.scenario}
        value={scenarioId}
        disabled={busy}
        data-tip={scenario?.teaches}
        onChange={({ target }) => {
          const chosen = target.value;
          leave(() => actions.chooseScenario(chosen));
        }}
      >
        {app.scenarios.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      {scenario !== undefined && scenario.setUps.length > 1 && (
        <select
          aria-label={text.header.setUp}
          value={setUpId}
          disabled={busy}
          data-tip={scenario.setUps.find((setUp) => setUp.id === setUpId)?.shows}
          onChange={({ target }) => {
            const chosen = target.value;
            leave(() => actions.chooseSetUp(chosen));
          }}
        >
          {scenario.setUps.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}

function ModelChip({ onOpen }: { readonly onOpen: () => void }) {
  const text = useText();
  const model = useApp((state) => state.model);
  const startName = useApp((state) => state.spec?.startAdapter?.name);
  if (model === null)
    return (
      <button type="button" className="term soft model-chip" onClick={onOpen}>
        {text.header.noModel}
      </button>
    );
  const engine =
    model.engine === "wasm"
      ? `${text.header.engines.wasm}, ${text.header.threads(model.threads)}`
      : `${text.header.engines.webgpu}${model.adapter === null ? "" : `, ${model.adapter}`}`;
  const kind = text.header.architectures[model.architecture] ?? model.architecture;
  const start = startName === undefined ? "" : ` + ${text.adapters.start.chip}`;
  const told = startName === undefined ? "" : ` ${text.adapters.start.chipMeans(startName)}`;
  const bits = model.identity === null ? "" : `, ${text.models.storages[model.identity.storage]}`;
  const size = `${number(model.parameters / 1e6)} M${bits}`;
  // the chip is narrow: the adapter takes the size's place
  const lines = start === "" ? [`${kind} · ${size}`, engine] : [`${kind}${start}`, `${size} · ${engine}`];
  return (
    <button
      type="button"
      className="term soft model-chip"
      onClick={onOpen}
      data-tip={`${model.name}.${told} ${model.reason}`}
      aria-label={text.models.open(
        `${text.header.model(`${model.name}, ${kind} · ${size}${start} ${engine}`)}.${told} ${model.reason}`,
      )}
    >
      <span>{lines[0]}</span> <span>{lines[1]}</span>
    </button>
  );
}
