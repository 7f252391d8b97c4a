/** What is remembered of judges in this browser, and a way to forget it. */
import { useEffect, useState } from "react";
import { useActions } from "../app-context.ts";
import { bytes } from "../models/amounts.ts";
import { enJudge as text } from "../text/en-judge.ts";

export function VerdictMemory() {
  const actions = useActions();
  /** undefined = not known yet; null = nothing is kept beyond this page. */
  const [kept, setKept] = useState<number | null>();
  useEffect(() => {
    void actions.judgeMemory().then(setKept);
  }, [actions]);
  const forget = async (): Promise<void> => {
    await actions.forgetVerdicts();
    setKept(await actions.judgeMemory());
  };
  return (
    <section className="set-up-section">
      <h3>{text.memory}</h3>
      <p className="soft">{text.memoryMeans}</p>
      <div className="form-row">
        <button type="button" className="pill small" disabled={kept === 0} onClick={() => void forget()}>
          {text.forget}
        </button>
        <span role="status" className="soft">
          {kept === undefined ? "" : kept === null ? text.memoryHere : text.memoryKept(bytes(kept))}
        </span>
      </div>
    </section>
  );
}
