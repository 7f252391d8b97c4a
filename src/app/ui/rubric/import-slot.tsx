/** Where a rubric comes in or goes out in another form: what was chosen or dropped opens in a sheet that comes as a chunk of its own. */
import { lazy, Suspense, useEffect, useState } from "react";
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import "./drop-cover.css";

const ImportSheet = lazy(async () => ({ default: (await import("./import-sheet.tsx")).ImportSheet }));
const ExportSheet = lazy(async () => ({ default: (await import("./export-sheet.tsx")).ExportSheet }));

export function ImportSlot({ onModel }: { readonly onModel: () => void }) {
  const text = useText().importing;
  const asked = useApp((state) => state.askedRubric);
  const dragged = useDroppedFile();
  return (
    <>
      {dragged && (
        <div className="drop-cover" aria-hidden>
          {text.drop}
        </div>
      )}
      <Suspense>
        {asked === "save" && <ExportSheet />}
        {asked !== null && asked !== "save" && (
          <ImportSheet key={asked.name} asked={asked} onModel={onModel} />
        )}
      </Suspense>
    </>
  );
}

/** Takes files that are dropped anywhere on the page; true while one is held over it. */
function useDroppedFile(): boolean {
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
      const file = event.dataTransfer?.files[0];
      if (file === undefined || loading) return;
      event.preventDefault();
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
  }, [actions, loading]);
  return over;
}
