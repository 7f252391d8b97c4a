/** Files of this computer, a model's or an adapter's: a folder or files, by picker or drop. Nothing is read here. */
import { useRef, useState, type DragEvent } from "react";
import type { LocalFile } from "../../protocol/model-messages.ts";
import { useText } from "../text/text-context.ts";
import { bytes } from "./amounts.ts";
import { droppedFiles } from "./dropped-files.ts";
import "./models.css";

const chosen = (list: FileList | null): readonly LocalFile[] =>
  Array.from(list ?? [], (file) => ({
    path: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath,
    bytes: file,
  }));

interface LocalFilesProps {
  readonly files: readonly LocalFile[];
  readonly onFiles: (files: readonly LocalFile[]) => void;
}

export function LocalFiles({ files: taken, onFiles }: LocalFilesProps) {
  const text = useText().models;
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: readonly LocalFile[]): void => {
    if (files.length > 0) onFiles(files);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void droppedFiles(event.dataTransfer).then(take);
  };
  const size = taken.reduce((sum, file) => sum + file.bytes.size, 0);
  return (
    <div
      className={over ? "model-drop over" : "model-drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={drop}
    >
      <button type="button" className="pill small" onClick={() => folder.current?.click()}>
        {text.folder}
      </button>
      <button type="button" className="pill small" onClick={() => files.current?.click()}>
        {text.files}
      </button>
      <span className="soft">{taken.length === 0 ? text.drop : text.chosen(taken.length, bytes(size))}</span>
      <input
        ref={folder}
        hidden
        type="file"
        aria-label={text.folder}
        multiple
        {...{ webkitdirectory: "" }}
        onChange={({ target }) => {
          take(chosen(target.files));
          target.value = ""; // the same again is a choice too
        }}
      />
      <input
        ref={files}
        hidden
        type="file"
        aria-label={text.files}
        multiple
        onChange={({ target }) => {
          take(chosen(target.files));
          target.value = ""; // the same again is a choice too
        }}
      />
    </div>
  );
}
