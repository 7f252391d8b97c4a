/** Models that are kept in this browser: what each is and how much room it takes, one to choose, each to delete. */
import { useEffect, useState } from "react";
import { requestFault } from "../../protocol/client.ts";
import type { KeptModelInfo } from "../../protocol/model-messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { bytes } from "./amounts.ts";
import { draftOfKept, type ModelDraft } from "./draft.ts";

interface Props {
  readonly onChoose: (part: Partial<ModelDraft>) => void;
}

export function KeptModels({ onChoose }: Props) {
  const text = useText().models;
  const { listKeptModels, deleteKeptModel } = useActions();
  const loaded = useApp((state) => state.model); // another may have been kept
  const [models, setModels] = useState<readonly KeptModelInfo[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let gone = false;
    listKeptModels().then(
      (listed) => {
        if (!gone) setModels(listed);
      },
      (error: unknown) => {
        if (!gone) setProblem(requestFault(error, "listKeptModels").message);
      },
    );
    return () => {
      gone = true;
    };
  }, [listKeptModels, version, loaded]);
  const forget = async (id: string): Promise<void> => {
    try {
      await deleteKeptModel(id);
      setProblem(null);
    } catch (error) {
      setProblem(requestFault(error, "deleteKeptModel").message);
    }
    setVersion((before) => before + 1);
  };
  if (models.length === 0 && problem === null) return null;
  return (
    <section className="set-up-section">
      <h3>{text.kept}</h3>
      <p className="soft">{text.keptMeans}</p>
      {problem !== null && <p className="form-problem">{problem}</p>}
      <ul className="kept-models">
        {models.map((model) => (
          <KeptItem key={model.id} model={model} onChoose={onChoose} onForget={forget} />
        ))}
      </ul>
    </section>
  );
}

interface ItemProps extends Props {
  readonly model: KeptModelInfo;
  readonly onForget: (id: string) => Promise<void>;
}

function KeptItem({ model, onChoose, onForget }: ItemProps) {
  const { models: text, language } = useText();
  const { id, name, storage, sizeBytes, savedAt, commit, complete } = model;
  const date = new Date(savedAt).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const label = `${name}, ${text.storages[storage]}`;
  const facts = [
    text.storages[storage],
    ...(complete ? [] : [text.begun]),
    bytes(sizeBytes),
    date,
    ...(commit === null ? [] : [text.commit(commit)]),
  ];
  return (
    <li>
      <span>
        <b>{name}</b> <span className="soft">{facts.join(" · ")}</span>
      </span>
      <button
        type="button"
        className="pill small"
        aria-label={text.chooseOf(label)}
        onClick={() => {
          onChoose(draftOfKept(model));
        }}
      >
        {text.chooseKept}
      </button>
      <button
        type="button"
        className="pill small"
        aria-label={text.forgetOf(label)}
        onClick={() => void onForget(id)}
      >
        {text.forget}
      </button>
    </li>
  );
}
