/** Every run that is kept in this browser: what it is, how much room it takes, at which checkpoint it can be opened. */
import { useEffect, useState } from "react";
import type { RunPlace, SavedCheckpoint, SavedRun } from "../../protocol/messages.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useLeaveRun } from "../header/leave-run.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import { KeptRoom, megabytes } from "./kept-room.tsx";
import "./saved-runs.css";

interface Listed {
  readonly place: RunPlace;
  readonly runs: readonly SavedRun[];
}

export function SavedRunsSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText().saved;
  const { listSaved } = useActions();
  const [listed, setListed] = useState<Listed | null>(null);
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let gone = false;
    void listSaved().then((answer) => {
      if (!gone) setListed(answer);
    });
    return () => {
      gone = true;
    };
  }, [listSaved, version]);
  return (
    <Sheet title={text.title} onClose={onClose}>
      {listed !== null && (
        <>
          <p className="soft">{text.place[listed.place]}</p>
          <KeptRoom key={version} />
          {listed.runs.length === 0 && <p>{text.none}</p>}
          <ul className="saved-runs">
            {listed.runs.map((run) => (
              <SavedRunItem
                key={run.id}
                run={run}
                onOpened={onClose}
                onDeleted={() => {
                  setVersion((before) => before + 1);
                }}
              />
            ))}
          </ul>
        </>
      )}
    </Sheet>
  );
}

interface ItemProps {
  readonly run: SavedRun;
  readonly onOpened: () => void;
  readonly onDeleted: () => void;
}

function useMoment(): (at: number) => string {
  const { language } = useText();
  return (at) => new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}

/** Scenario, set-up where there are several, and the arms: what a person knows a run by. */
function useRunName(): (run: SavedRun) => string {
  const { app } = usePage();
  return ({ scenarioId, spec }) => {
    const scenario = app.scenarios.find((known) => known.id === scenarioId);
    const setUp = scenario?.setUps.find((known) => known.id === spec.setUpId);
    const several = scenario !== undefined && scenario.setUps.length > 1;
    return [scenario?.title ?? scenarioId, ...(several && setUp !== undefined ? [setUp.title] : [])].join(
      ", ",
    );
  };
}

/** What is known of a run in one line. */
function useFacts(run: SavedRun, here: boolean): string {
  const { saved: text, models } = useText();
  const moment = useMoment();
  const { step, maxSteps, savedAt, sizeBytes, checkpoints, model, spec, seeds = [] } = run;
  const held = spec.model === undefined ? [] : [models.storages[spec.model.storage]];
  return [
    text.at(step, maxSteps),
    moment(savedAt),
    megabytes(sizeBytes),
    text.checkpoints(checkpoints.length),
    seeds.length > 1 ? text.seeds(seeds.length) : "",
    [model ?? spec.model?.id ?? "", ...held].join(", "),
    spec.startAdapter === undefined ? "" : text.startedFrom(spec.startAdapter.name),
    here ? text.now : "",
  ]
    .filter((fact) => fact !== "")
    .join(" · ");
}

function SavedRunItem({ run, onOpened, onDeleted }: ItemProps) {
  const text = useText().saved;
  const actions = useActions();
  const leave = useLeaveRun();
  const nameOf = useRunName();
  const here = useApp((state) => state.runId) === run.id;
  const facts = useFacts(run, here);
  const open = (checkpoint: string | null): void => {
    onOpened();
    leave(() => actions.resumeSaved(run.id, checkpoint));
  };
  const [, ...earlier] = run.checkpoints;
  const elsewhere = run.openElsewhere === true;
  return (
    <li>
      <b>{nameOf(run)}</b>
      <span className="soft">{run.spec.arms.map(({ id }) => id).join(", ")}</span>
      <span>{facts}</span>
      {elsewhere && <span>{text.elsewhere}</span>}
      <span className="saved-run-buttons">
        {!here && !elsewhere && (
          <>
            <button
              type="button"
              className="pill small"
              onClick={() => {
                open(null);
              }}
            >
              {text.goOn}
            </button>
            <button
              type="button"
              className="pill small"
              onClick={() => void actions.deleteSaved(run.id).then(onDeleted)}
            >
              {text.discard}
            </button>
          </>
        )}
        {earlier.length > 0 && <Earlier checkpoints={earlier} onOpen={open} />}
      </span>
    </li>
  );
}

interface EarlierProps {
  readonly checkpoints: readonly SavedCheckpoint[];
  readonly onOpen: (checkpoint: string) => void;
}

function Earlier({ checkpoints, onOpen }: EarlierProps) {
  const text = useText().saved;
  const moment = useMoment();
  return (
    <details>
      <summary>{text.earlier}</summary>
      {checkpoints.map(({ id, step, savedAt, sizeBytes }) => (
        <button
          key={id}
          type="button"
          className="pill small"
          data-tip={`${moment(savedAt)} · ${megabytes(sizeBytes)}`}
          onClick={() => {
            onOpen(id);
          }}
        >
          {text.openAt(step)}
        </button>
      ))}
    </details>
  );
}
