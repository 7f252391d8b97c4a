/** Asks once before an unfinished run gives way to another; it stays saved, and is offered again afterwards. */
import { createContext, useContext, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { isUnfinished } from "../../store/leaving.ts";
import { useApp, usePage } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

type Go = () => Promise<void>;

const LeaveContext = createContext<(go: Go) => void>((go) => void go());

/** Does what makes another run, at once or after the person agreed. */
export function useLeaveRun(): (go: Go) => void {
  return useContext(LeaveContext);
}

export function LeaveGuard({ children }: { readonly children: ReactNode }) {
  const { app } = usePage();
  const [waiting, setWaiting] = useState<Go | null>(null);
  const leave = (go: Go): void => {
    if (isUnfinished(app.store.getState().run)) setWaiting(() => go);
    else void go();
  };
  return (
    <LeaveContext value={leave}>
      {children}
      {waiting !== null && (
        <AskFirst
          onStay={() => {
            setWaiting(null);
          }}
          onLeave={() => {
            setWaiting(null);
            void waiting().then(() => app.actions.offerSaved());
          }}
        />
      )}
    </LeaveContext>
  );
}

function AskFirst({ onStay, onLeave }: { readonly onStay: () => void; readonly onLeave: () => void }) {
  const text = useText().leave;
  const run = useApp((state) => state.run);
  const unsaved = useApp((state) => state.fault?.code === "storage-failed");
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="ask-first"
      aria-labelledby="ask-first-title"
      onCancel={(event) => {
        event.preventDefault();
        onStay();
      }}
    >
      <h2 id="ask-first-title">{text.title}</h2>
      <p>{text.stands(run.step, run.maxSteps)}</p>
      <p>{unsaved ? text.lost : text.saved}</p>
      <div className="ask-first-buttons">
        <button type="button" className="pill main" onClick={onStay}>
          {text.stay}
        </button>
        <button type="button" className="pill" onClick={onLeave}>
          {text.leave}
        </button>
      </div>
    </dialog>
  );
}
