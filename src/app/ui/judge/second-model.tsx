/** A second model that judges, by its hub id; held beside the one that is trained. */
import { useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import { requestFault } from "../../protocol/client.ts";
import { useActions } from "../app-context.ts";
import { choiceOf, draftOf, SUGGESTED } from "../models/draft.ts";
import { useText } from "../text/text-context.ts";
import { enJudge as text } from "../text/en-judge.ts";

interface SecondProps {
  /** Name of the second model that is chosen; null where the first judges. */
  readonly chosen: string | null;
  readonly onModel: (name: string) => void;
}

export function SecondModel({ chosen, onModel }: SecondProps) {
  const words = useText();
  const actions = useActions();
  const [repo, setRepo] = useState<string>(SUGGESTED[0]);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<FaultMessage | null>(null);
  const choice = choiceOf({ ...draftOf({ kind: "bundled" }), kind: "hub", repo });
  const load = async (): Promise<void> => {
    if (choice === null) return;
    setBusy(true);
    setFault(null);
    try {
      const name = await actions.loadJudgeModel(choice);
      if (name !== null) onModel(name);
    } catch (error) {
      setFault(requestFault(error, "loadJudgeModel"));
    }
    setBusy(false);
  };
  return (
    <>
      <div className="form-row judge-second">
        <label className="form-field">
          <span data-tip={text.secondHint}>{text.second}</span>
          <input
            type="text"
            autoComplete="off"
            spellCheck={false}
            value={repo}
            onChange={({ target }) => {
              setRepo(target.value);
            }}
          />
        </label>
        <button
          type="button"
          className="pill small"
          disabled={busy || choice === null}
          onClick={() => void load()}
        >
          {busy ? text.loadingSecond : text.loadSecond}
        </button>
      </div>
      {chosen !== null && <p role="status">{text.loaded(chosen)}</p>}
      {fault !== null && (
        <p className="form-problem" role="alert">
          {words.faults.codes[fault.code]} {fault.message}
        </p>
      )}
    </>
  );
}
