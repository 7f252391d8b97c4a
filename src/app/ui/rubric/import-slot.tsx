/** Where a rubric comes in or goes out in another form: what was chosen or dropped opens in a sheet that comes as a chunk of its own. */
import { lazy, Suspense, useEffect, useState } from "react";
import type { LocalFile } from "../../protocol/model-messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { droppedFiles } from "../models/dropped-files.ts";
import { useText } from "../text/text-context.ts";
import "./drop-cover.css";

const ImportSheet = lazy(async () => ({ default: (await import("./import-sheet.tsx")).ImportSheet }));
const ExportSheet = lazy(async () => ({ default: (await import("./export-sheet.tsx")).ExportSheet }));

interface SlotProps {
  /** The model sheet is open: what was opened here comes back when it closes. */
  readonly hidden: boolean;
  readonly onModel: () => void;
  /** What was dropped is an adapter's files, its folder, or a zip. */
  readonly onAdapter: (files: readonly LocalFile[]) => void;
}

/** What PEFT and the playground name an adapter's files; a rubric is one file of another name. */
const ADAPTER_FILE = /^adapter_|\.safetensors$|\.zip$/;

export function ImportSlot({ hidden, onModel, onAdapter }: SlotProps) {
  const text = useText().importing;
  const asked = useApp((state) => state.askedRubric);
  const dragged = useDroppedFile(onAdapter);
  return (
    <>
      {dragged && (
        <div className="drop-cover" aria-hidden>
          {text.drop}
        </div>
      )}
      <Suspense>
        {asked === "save" && <ExportSheet />}
        {asked !== null && asked !== "save" && !hidden && (
          <ImportSheet key={asked.name} asked={asked} onModel={onModel} />
        )}
      </Suspense>
    </>
  );
}

/** Takes files that are dropped anywhere on the page; true while one is held over it. */
function useDroppedFile(onAdapter: SlotProps["onAdapter"]): boolean {
  const actions = useActions();
  const loading = useApp((state) => state.run.phase === "loading" || state.spec === null);
  const [over, setOver] = useState(false);
  useEffect(() => {
    const hold = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") !== true || loading) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      const { dataTransfer } = event;
      const file = dataTransfer?.files[0];
      if (dataTransfer === null || file === undefined || loading) return;
      if (event.defaultPrevented) return; // a sheet's own place to drop has taken it
      event.preventDefault();
      if (dataTransfer.items[0]?.webkitGetAsEntry()?.isDirectory === true) {
        void droppedFiles(dataTransfer).then(onAdapter);
        return;
      }
      const files = Array.from(dataTransfer.files, (bytes) => ({ path: bytes.name, bytes }));
      if (files.some(({ path }) => ADAPTER_FILE.test(path))) {
        onAdapter(files);
        return;
      }
      actions.askRubric({ file, name: file.name });
    };
    window.addEventListener("dragover", hold);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", hold);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, [actions, loading, onAdapter]);
  return over;
}
