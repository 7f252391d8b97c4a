/** The GGUF files of an id that holds several: one to choose, with its size. */
import { useEffect, useState } from "react";
import type { ModelChoice, ModelFileChoice } from "../../protocol/model-messages.ts";
import { useActions } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { bytes } from "./amounts.ts";

interface Props {
  readonly choice: ModelChoice;
  readonly onChoose: (path: string) => void;
}

export function FileChoice({ choice, onChoose }: Props) {
  const text = useText().models;
  const { listModelFiles } = useActions();
  const [files, setFiles] = useState<readonly ModelFileChoice[]>([]);
  useEffect(() => {
    let gone = false;
    listModelFiles(choice).then(
      (listed) => {
        if (!gone) setFiles(listed);
      },
      () => undefined, // the refusal above names the files
    );
    return () => {
      gone = true;
    };
  }, [listModelFiles, choice]);
  return (
    <div className="presets model-suggestions" role="group" aria-label={text.chooseFile}>
      {files.map(({ path, sizeBytes }) => (
        <button
          key={path}
          type="button"
          className="pill small"
          onClick={() => {
            onChoose(path);
          }}
        >
          {path}
          {sizeBytes !== null && <span className="soft"> {bytes(sizeBytes)}</span>}
        </button>
      ))}
    </div>
  );
}
