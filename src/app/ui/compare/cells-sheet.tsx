/** Which cell of an opened experiment runs here. */
import type { AskedCells } from "../../store/app-state.ts";
import { useActions } from "../app-context.ts";
import { useLeaveRun } from "../header/leave-run.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import "./compare.css";

export function CellsSheet({ asked }: { readonly asked: AskedCells }) {
  const text = useText().compare.files;
  const actions = useActions();
  const leave = useLeaveRun();
  const { experiment, cells } = asked;
  return (
    <Sheet title={text.which} onClose={actions.closeExperiment}>
      <p>{experiment.question}</p>
      <p className="soft">{text.whichHint(experiment.name)}</p>
      <div className="cell-choice">
        {cells.map((cell, at) => (
          <button
            key={cell.id}
            type="button"
            className="pill"
            onClick={() => {
              leave(() => actions.openCell(at));
            }}
          >
            {cell.title} <span className="soft">{text.cell(cell.arms.length, cell.seeds.length)}</span>
          </button>
        ))}
      </div>
    </Sheet>
  );
}
