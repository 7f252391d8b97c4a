/** Models that are kept in this browser: their room, one to choose, each to delete. */
import { useEffect, useState } from "react";
import { requestFault } from "../../protocol/client.ts";
import type { CachedModel } from "../../protocol/model-messages.ts";
import { useActions } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { bytes } from "./amounts.ts";
import type { PickerProps } from "./model-picker.tsx";

export function CachedModels({ draft, onChange }: PickerProps) {
  const text = useText().models;
  const { listModels, deleteModel } = useActions();
  const [models, setModels] = useState<readonly CachedModel[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let gone = false;
    listModels().then(
      (listed) => {
        if (!gone) setModels(listed);
      },
      (error: unknown) => {
        if (!gone) setProblem(requestFault(error, "listCachedModels").message);
      },
    );
    return () => {
      gone = true;
    };
  }, [listModels, version]);
  const forget = async (key: string): Promise<void> => {
    try {
      await deleteModel(key);
    } catch (error) {
      setProblem(requestFault(error, "deleteCachedModel").message);
    }
    if (draft.cached?.key === key) onChange({ cached: null });
    setVersion((before) => before + 1);
  };
  return (
    <>
      {problem !== null && <p className="form-problem">{problem}</p>}
      {models?.length === 0 && <p>{text.cachedNone}</p>}
      <ul className="cached-models">
        {models?.map(({ key, name, storage, sizeBytes }) => (
          <li key={key}>
            <label className="form-check">
              <input
                type="radio"
                name="cached-model"
                checked={draft.cached?.key === key}
                onChange={() => {
                  onChange({ cached: { key, name }, storage });
                }}
              />
              {text.cachedItem(name, text.storages[storage], bytes(sizeBytes))}
            </label>
            <button
              type="button"
              className="pill small"
              aria-label={text.forgetOf(name)}
              onClick={() => void forget(key)}
            >
              {text.forget}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
