/** A second model that judges, from a hub, this computer or an address; held beside the one that is trained. */
import { useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import { requestFault } from "../../protocol/client.ts";
import { useActions } from "../app-context.ts";
import { choiceOf, draftOf, type ModelDraft } from "../models/draft.ts";
import { LoadProgress } from "../models/load-progress.tsx";
import { ModelPicker } from "../models/model-picker.tsx";
import { useText } from "../text/text-context.ts";
import { enJudge as text } from "../text/en-judge.ts";

const KINDS = ["hub", "files", "url"] as const;

interface SecondProps {
  /** Name of the second model that is loaded; "" = none yet. */
  readonly loaded: string;
  readonly onModel: (name: string) => void;
}

export function SecondModel({ loaded, onModel }: SecondProps) {
  const words = useText();
  const actions = useActions();
  const [draft, setDraft] = useState<ModelDraft>(() => draftOf({ kind: "bundled" }));
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<FaultMessage | null>(null);
  const choice = choiceOf(draft);
  const load = async (): Promise<void> => {
    if (choice === null) return;
    setBusy(true);
    setFault(null);
    try {
      const name = await actions.loadJudgeModel(choice);
      if (name !== null) onModel(name);
    } catch (error) {
      const told = requestFault(error, "loadJudgeModel");
      if (told.code !== "aborted") setFault(told); // a person who gives it up knows it
    }
    setBusy(false);
  };
  return (
    <div className="judge-second">
      <p className="soft">{text.secondMeans}</p>
      {loaded !== "" && <p role="status">{text.loaded(loaded)}</p>}
      <ModelPicker
        kinds={KINDS}
        draft={draft}
        onChange={(part) => {
          setDraft((old) => ({ ...old, ...part }));
        }}
      />
      {busy ? (
        <LoadProgress />
      ) : (
        <button type="button" className="pill small" disabled={choice === null} onClick={() => void load()}>
          {text.loadSecond}
        </button>
      )}
      {fault !== null && (
        <p className="form-problem" role="alert">
          {words.faults.codes[fault.code]} {fault.message}
        </p>
      )}
    </div>
  );
}
