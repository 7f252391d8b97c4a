/** A model of this computer: a folder or files, by picker or drop. Nothing is read here. */
import { useRef, useState, type DragEvent } from "react";
import type { LocalFile } from "../../protocol/model-messages.ts";
import { useText } from "../text/text-context.ts";
import { bytes } from "./amounts.ts";
import { droppedFiles } from "./dropped-files.ts";
import type { PickerProps } from "./draft.ts";

const chosen = (list: FileList | null): readonly LocalFile[] =>
  Array.from(list ?? [], (file) => ({
    path: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath,
    bytes: file,
  }));

export function LocalFiles({ draft, onChange }: PickerProps) {
  const text = useText().models;
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (taken: readonly LocalFile[]): void => {
    if (taken.length > 0) onChange({ files: taken });
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void droppedFiles(event.dataTransfer).then(take);
  };
  const size = draft.files.reduce((sum, file) => sum + file.bytes.size, 0);
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
      <span className="soft">
        {draft.files.length === 0 ? text.drop : text.chosen(draft.files.length, bytes(size))}
      </span>
      <input
        ref={folder}
        hidden
        type="file"
        aria-label={text.folder}
        multiple
        {...{ webkitdirectory: "" }}
        onChange={({ target }) => {
          take(chosen(target.files));
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
        }}
      />
    </div>
  );
}
