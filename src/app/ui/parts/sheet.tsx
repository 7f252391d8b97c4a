/** A side sheet: a modal dialog at the right edge that closes by its button, Escape or a click beside it. */
import { useId, useLayoutEffect, useRef, type MouseEvent, type ReactNode } from "react";
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import "./sheet.css";

/** A sheet covers the run's buttons: what runs can be paused from here. */
function SheetRun() {
  const text = useText().header;
  const actions = useActions();
  const running = useApp((state) => state.run.phase === "running");
  const step = useApp((state) => state.run.step);
  const maxSteps = useApp((state) => state.run.maxSteps);
  if (!running) return null;
  return (
    <>
      <span className="soft">
        {step} {text.steps(step, maxSteps)}
      </span>
      <button type="button" className="pill small" onClick={() => void actions.pause()}>
        <span aria-hidden>❚❚</span> {text.pause}
      </button>
    </>
  );
}

interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
  /** Nearly as wide as the page. */
  readonly wide?: boolean;
}

export function Sheet({ title, onClose, children, foot, wide = false }: SheetProps) {
  const text = useText();
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // the dialog itself would take its first button; React's autoFocus comes before it opens
    dialog?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    return () => {
      dialog?.close();
    };
  }, []);
  const closeBeside = (event: MouseEvent): void => {
    if (event.target === element.current) onClose();
  };
  return (
    <dialog
      ref={element}
      className={wide ? "sheet wide" : "sheet"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={closeBeside}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <SheetRun />
        <button type="button" className="pill small" onClick={onClose}>
          {text.close}
        </button>
      </header>
      <div className="sheet-body">{children}</div>
      {foot !== undefined && <div className="sheet-foot">{foot}</div>}
    </dialog>
  );
}
