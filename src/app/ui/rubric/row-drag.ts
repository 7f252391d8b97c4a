/**
 * Moving rows: a criterion is dragged by its handle, with a mouse, a finger or a pen, or moved by keys from it; after a key the handle
 * keeps the focus.
 */
import {
  createContext,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
  type DragEvent,
  type PointerEvent,
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
  /** For a finger or a pen, which browsers drag nothing by. */
  readonly pointer: (id: string) => {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: (event: PointerEvent) => void;
    readonly onPointerCancel: (event: PointerEvent) => void;
  };
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
  const { app } = usePage();
  const { move, said, moved } = useMoves(table);
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<Over | null>(null);
  const begin = (id: string): void => {
    moved.current = null;
    setDragged(id);
  };
  const end = (): void => {
    setDragged(null);
    setOver(null);
  };
  const drop = (id: string, at: Over): void => {
    move(id, placeAt(app.store.getState().rubric, id, at));
    end();
  };
  return {
    dragged,
    over,
    said,
    end,
    begin: (id, event) => {
      // a finger that is held long: it drags already
      if (dragged !== null) {
        event.preventDefault();
        return;
      }
      event.dataTransfer.setData("text/plain", id);
      event.dataTransfer.effectAllowed = "move";
      const row = event.currentTarget.closest("tr");
      if (row !== null) event.dataTransfer.setDragImage(row, 20, 15);
      begin(id);
    },
    pointer: byPointer({ dragged, begin, hold: setOver, drop, end }),
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
        drop(dragged, overOf(event));
      },
    }),
  };
}

/** Moves a criterion and says so; `moved` is the one that was moved by keys. */
function useMoves(table: RefObject<HTMLElement | null>) {
  const text = useText().rubricEditor;
  const { app } = usePage();
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
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
  return { move, said, moved };
}

interface Hand {
  readonly dragged: string | null;
  readonly begin: (id: string) => void;
  readonly hold: (over: Over | null) => void;
  readonly drop: (id: string, at: Over) => void;
  readonly end: () => void;
}

/** Browsers drag by a mouse alone: what a finger or a pen does with a handle. */
function byPointer({ dragged, begin, hold, drop, end }: Hand): RowDrag["pointer"] {
  return (id) => ({
    onPointerDown: (event) => {
      if (event.pointerType === "mouse") return;
      event.currentTarget.setPointerCapture(event.pointerId);
      begin(id);
    },
    onPointerMove: (event) => {
      if (dragged !== id || event.pointerType === "mouse") return;
      hold(overAt(event));
      scrollNear(event.clientY);
    },
    onPointerUp: (event) => {
      if (dragged !== id || event.pointerType === "mouse") return;
      const at = overAt(event);
      if (at === null) end();
      else drop(id, at);
    },
    // a mouse's is told where the browser takes its drag over
    onPointerCancel: (event) => {
      if (event.pointerType !== "mouse") end();
    },
  });
}

/** The place on a row. */
export function overRow(id: string): (event: DragEvent) => Over {
  return (event) => ({ kind: "row", id, below: isBelow(event.currentTarget, event.clientY) });
}

function isBelow(row: Element, y: number): boolean {
  const { top, height } = row.getBoundingClientRect();
  return y > top + height / 2;
}

/** What lies under a finger: rows and categories' names say who they are. */
function overAt({ clientX: x, clientY: y }: PointerEvent): Over | null {
  const row = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-row], [data-category]");
  if (row == null) return null;
  const { row: id, category } = row.dataset;
  if (id !== undefined) return { kind: "row", id, below: isBelow(row, y) };
  return category === undefined ? null : { kind: "category", category };
}

const EDGE_PX = 60;

/** Towards rows beyond the window's edge, as browsers do while a mouse drags. */
function scrollNear(y: number): void {
  if (y < EDGE_PX) window.scrollBy(0, y - EDGE_PX);
  else if (y > window.innerHeight - EDGE_PX) window.scrollBy(0, y - window.innerHeight + EDGE_PX);
}
