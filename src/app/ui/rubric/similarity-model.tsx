/** Loads the embedding model of a check that compares meanings: from a hub, or from files of this computer. */
import { useEffect, useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import { requestFault } from "../../protocol/client.ts";
import type { LocalFile } from "../../protocol/model-messages.ts";
import type { EmbedderChoice } from "../../protocol/scoring-messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { bytes } from "../models/amounts.ts";
import { LocalFiles } from "../models/local-files.tsx";
import { useText } from "../text/text-context.ts";

const HUB = "https://huggingface.co/";
/** As the hub has it, in the form that runs here. */
const HUB_MODEL = "Xenova/all-MiniLM-L6-v2";

/** What it is loaded for, in words. */
interface ModelWords {
  readonly title: string;
  readonly why: string;
  readonly loaded: string;
  /** Said where it cannot be loaded: what stands in for it. */
  readonly fallback: string;
}

interface SimilarityProps {
  readonly words: ModelWords;
  /** Does without a model. */
  readonly onWords?: () => void;
}

type Standing = "asking" | "absent" | "loading" | "loaded";

export function SimilarityModel({ words, onWords }: SimilarityProps) {
  const { checks, faults } = useText();
  const { loadEmbedder } = useActions();
  const [standing, setStanding] = useState<Standing>("asking");
  const [fault, setFault] = useState<FaultMessage | null>(null);
  const fail = (error: unknown): void => {
    setFault(requestFault(error, "loadEmbedder"));
    setStanding("absent");
  };
  // only the worker knows: it may have been started again since
  useEffect(() => {
    loadEmbedder(null).then((isThere) => {
      setStanding(isThere ? "loaded" : "absent");
    }, fail);
  }, [loadEmbedder]);
  const load = async (source: EmbedderChoice): Promise<void> => {
    setStanding("loading");
    setFault(null);
    try {
      await loadEmbedder(source);
      setStanding("loaded");
    } catch (error) {
      fail(error);
    }
  };
  return (
    <fieldset className="similarity-model">
      <legend>{words.title}</legend>
      {standing === "loaded" && <p role="status">{words.loaded}</p>}
      {standing === "loading" && <Loading />}
      {standing === "absent" && <Sources why={words.why} onLoad={(source) => void load(source)} />}
      {fault !== null && (
        <div className="form-problem" role="alert">
          <p>
            {faults.codes[fault.code]} {fault.message}
          </p>
          <p>{words.fallback}</p>
          {onWords !== undefined && (
            <button type="button" className="pill small" onClick={onWords}>
              {checks.model.byWords}
            </button>
          )}
        </div>
      )}
    </fieldset>
  );
}

function Loading() {
  const text = useText().checks.model;
  const progress = useApp((state) => state.progress);
  const known = progress?.unit === "bytes" ? progress : null;
  return (
    <p role="status">
      {text.loading} <progress aria-label={text.loading} max={known?.total ?? 1} value={known?.done} />{" "}
      {known !== null && `${bytes(known.done)} / ${bytes(known.total)}`}
    </p>
  );
}

interface SourcesProps {
  readonly why: string;
  readonly onLoad: (source: EmbedderChoice) => void;
}

function Sources({ why, onLoad }: SourcesProps) {
  const text = useText().checks.model;
  const [host, setHost] = useState(HUB);
  const [files, setFiles] = useState<readonly LocalFile[]>([]);
  return (
    <>
      <p className="soft">
        {why} {text.source(HUB_MODEL)}
      </p>
      <div className="form-row">
        <label className="form-field">
          <span>{text.host}</span>
          <input
            type="url"
            value={host}
            onChange={(event) => {
              setHost(event.target.value);
            }}
          />
        </label>
        <button
          type="button"
          className="pill small"
          disabled={!URL.canParse(host)}
          onClick={() => {
            onLoad({ kind: "hub", host: host.endsWith("/") ? host : `${host}/` });
          }}
        >
          {text.fetch}
        </button>
      </div>
      <LocalFiles files={files} onFiles={setFiles} />
      {files.length > 0 && (
        <button
          type="button"
          className="pill small"
          onClick={() => {
            onLoad({ kind: "files", files });
          }}
        >
          {text.useFiles}
        </button>
      )}
    </>
  );
}
