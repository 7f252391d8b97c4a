/** Moving rows: a criterion is dragged by its handle, or moved by keys from it; after a key the handle keeps the focus. */
import {
  createContext,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
  type DragEvent,
  type RefObject,
} from "react";
import {
  byCategory,
  placeAfter,
  placeAt,
  type MoveStep,
  type Over,
  type Place,
} from "../../store/rubric-edits.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

const STEPS: Readonly<Record<string, MoveStep>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "category before",
  ArrowRight: "category after",
};

export interface RowDrag {
  readonly dragged: string | null;
  readonly over: Over | null;
  readonly begin: (id: string, event: DragEvent) => void;
  readonly end: () => void;
  /** True where the key is one that moves. */
  readonly key: (id: string, key: string) => boolean;
  /** What a row or a category's name needs to be dropped on. */
  readonly target: (over: (event: DragEvent) => Over) => {
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

const RowDragContext = createContext<RowDrag | null>(null);
export const RowDragProvider = RowDragContext.Provider;

export function useRowDrag(): RowDrag {
  const drag = useContext(RowDragContext);
  if (drag === null) throw new Error("RowDragContext: expected a provider around the rubric's rows");
  return drag;
}

/** @param table what holds the rows. `said` tells of the last move in words. */
export function useRowDragState(table: RefObject<HTMLElement | null>): RowDrag & { readonly said: string } {
  const text = useText().rubricEditor;
  const { app } = usePage();
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<Over | null>(null);
  const [said, setSaid] = useState("");
  const moved = useRef<string | null>(null);
  // a row that comes to stand in another category is a new element: its handle would lose the focus, at an undo too
  useLayoutEffect(() => {
    if (moved.current === null || document.activeElement !== document.body) return;
    table.current?.querySelector<HTMLElement>(`[data-handle="${CSS.escape(moved.current)}"]`)?.focus();
  }, [rubric, table]);
  const move = (id: string, to: Place | null): void => {
    if (to === null) return;
    actions.moveCriterion(id, to);
    const own = byCategory(app.store.getState().rubric).find(({ category }) => category === to.category);
    const name = own?.criteria[to.at]?.text ?? "";
    setSaid(text.moved(name, to.category, to.at + 1, own?.criteria.length ?? 0));
  };
  const end = (): void => {
    setDragged(null);
    setOver(null);
  };
  return {
    dragged,
    over,
    said,
    begin: (id, event) => {
      moved.current = null;
      event.dataTransfer.setData("text/plain", id);
      event.dataTransfer.effectAllowed = "move";
      const row = event.currentTarget.closest("tr");
      if (row !== null) event.dataTransfer.setDragImage(row, 20, 15);
      setDragged(id);
    },
    end,
    key: (id, key) => {
      const step = STEPS[key];
      if (step === undefined) return false;
      moved.current = id;
      move(id, placeAfter(app.store.getState().rubric, id, step));
      return true;
    },
    target: (overOf) => ({
      onDragOver: (event) => {
        if (dragged === null) return;
        event.preventDefault();
        setOver(overOf(event));
      },
      onDrop: (event) => {
        if (dragged === null) return;
        event.preventDefault();
        move(dragged, placeAt(app.store.getState().rubric, dragged, overOf(event)));
        end();
      },
    }),
  };
}

/** The place on a row. */
export function overRow(id: string): (event: DragEvent) => Over {
  return (event) => {
    const { top, height } = event.currentTarget.getBoundingClientRect();
    return { kind: "row", id, below: event.clientY > top + height / 2 };
  };
}
