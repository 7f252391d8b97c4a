/** The sheet of the judges: who reads the criteria without a check, what it costs so far, and whether it can be believed. */
import { useState } from "react";
import type { RunJudges } from "../../../domain/run/judge-spec.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useLeaveRun } from "../header/leave-run.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { enJudge as text } from "../text/en-judge.ts";
import { useText } from "../text/text-context.ts";
import { AgreementView } from "./agreement-view.tsx";
import { checkJudge, draftOf, judgesFrom, type CheckedJudge, type JudgeDraft } from "./draft.ts";
import { JudgeFields, type KeyDraft } from "./judge-fields.tsx";
import { RunCounts } from "./run-counts.tsx";
import { TryJudge } from "./try-judge.tsx";
import { VerdictMemory } from "./verdict-memory.tsx";
import "../set-up/set-up.css";
import "../models/models.css";
import "../rubric/try-pane.css";
import "./judge.css";

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export function JudgeSheet({ onClose }: { readonly onClose: () => void }) {
  const words = useText();
  const leave = useLeaveRun();
  const actions = useActions();
  const { app } = usePage();
  const [before] = useState<RunJudges>(() => app.store.getState().settings);
  const [draft, setDraft] = useState(() => draftOf(before.judge));
  const [heldOut, setHeldOut] = useState(() =>
    before.heldOutJudge === undefined ? null : draftOf(before.heldOutJudge),
  );
  const keys = useKeys(draft, heldOut);
  const training = checkJudge(draft, words);
  const other = heldOut === null ? null : checkJudge(heldOut, words);
  const judges = judgesFrom(training, other);
  const unchanged = judges !== null && sameJudges(judges, before);
  const use = (): void => {
    if (judges === null) return;
    void keys.send([training, other]);
    onClose();
    if (!unchanged) leave(() => actions.applyJudges(judges));
  };
  const sendKeys = (): Promise<void> => keys.send([training]);
  return (
    <Sheet
      title={text.title}
      onClose={onClose}
      foot={
        <>
          <button
            type="button"
            className="pill main"
            disabled={judges === null || (unchanged && !keys.changed)}
            onClick={use}
          >
            {judges === null ? text.invalid : unchanged && !keys.changed ? text.unchanged : text.apply}
          </button>
          <span className="soft">{judges === null ? problemOf(training, other) : text.freshRun}</span>
        </>
      }
    >
      <p>{text.means}</p>
      <Needs />
      <RunCounts />
      <section className="set-up-section">
        <h3>{text.training}</h3>
        <JudgeFields
          name="judge"
          draft={draft}
          keyDraft={keys.of(draft)}
          onDraft={setDraft}
          onKey={(key) => {
            keys.set(draft, key);
          }}
        />
        <Problems problems={training.problems} />
      </section>
      <HeldOut draft={heldOut} checked={other} keys={keys} onDraft={setHeldOut} />
      <TryJudge judge={training.spec ?? null} onReady={sendKeys} />
      <AgreementView
        judge={training.spec ?? null}
        onReady={sendKeys}
        onThreshold={(threshold) => {
          setDraft({ ...draft, local: { ...draft.local, threshold } });
        }}
      />
      <VerdictMemory />
    </Sheet>
  );
}

/** The first thing that keeps the judges from being used, where it stands. */
function problemOf(training: CheckedJudge, heldOut: CheckedJudge | null): string {
  const [first] = training.problems;
  return first ?? `${text.heldOut}: ${heldOut?.problems[0] ?? ""}`;
}

const sameJudges = (judges: RunJudges, before: RunJudges): boolean =>
  same(judges.judge, before.judge) && same(judges.heldOutJudge, before.heldOutJudge);

interface Keys {
  /** True where one was typed. */
  readonly changed: boolean;
  readonly of: (draft: JudgeDraft) => KeyDraft;
  readonly set: (draft: JudgeDraft, key: KeyDraft) => void;
  /** Hands those of these judges to the worker. */
  readonly send: (judges: readonly (CheckedJudge | null)[]) => Promise<void>;
}

/** Typed keys by address; what is not typed here stands as it was given before. */
function useKeys(...drafts: readonly (JudgeDraft | null)[]): Keys {
  const actions = useActions();
  const [typed, setTyped] = useState<Readonly<Record<string, KeyDraft>>>({});
  const addressOf = (draft: JudgeDraft, words: ReturnType<typeof useText>): string => {
    const { spec } = checkJudge({ ...draft, endpoint: { ...draft.endpoint, model: "any" } }, words);
    return spec?.kind === "endpoint" ? spec.url : "";
  };
  const words = useText();
  const known = (url: string): KeyDraft => {
    const { key, kept } = actions.judgeKey(url);
    return { key, keep: kept };
  };
  return {
    changed: drafts.some((draft) => draft !== null && Object.hasOwn(typed, addressOf(draft, words))),
    of: (draft) => {
      const url = addressOf(draft, words);
      return typed[url] ?? known(url);
    },
    set: (draft, key) => {
      setTyped({ ...typed, [addressOf(draft, words)]: key });
    },
    send: async (judges) => {
      for (const judge of judges) {
        const spec = judge?.spec;
        const own = spec?.kind === "endpoint" ? typed[spec.url] : undefined;
        if (spec?.kind === "endpoint" && own !== undefined)
          await actions.setJudgeKey(spec.url, own.key.trim(), own.keep);
      }
    },
  };
}

function Needs() {
  const all = useApp((state) => state.rubric.criteria.length);
  const open = useApp((state) => state.rubric.criteria.filter(({ check }) => check === null).length);
  return <p className="soft">{text.needs(open, all)}</p>;
}

interface HeldOutProps {
  /** null = the same as the training's. */
  readonly draft: JudgeDraft | null;
  readonly checked: CheckedJudge | null;
  readonly keys: Keys;
  readonly onDraft: (draft: JudgeDraft | null) => void;
}

function HeldOut({ draft, checked, keys, onDraft }: HeldOutProps) {
  return (
    <section className="set-up-section">
      <h3>{text.heldOut}</h3>
      <label className="form-check">
        <input
          type="checkbox"
          checked={draft === null}
          onChange={({ target }) => {
            onDraft(target.checked ? null : { ...draftOf(undefined), kind: "endpoint" });
          }}
        />
        {text.same}
      </label>
      {draft !== null && (
        <JudgeFields
          name="held-out-judge"
          draft={draft}
          keyDraft={keys.of(draft)}
          onDraft={onDraft}
          onKey={(key) => {
            keys.set(draft, key);
          }}
        />
      )}
      <Problems problems={checked?.problems ?? []} />
    </section>
  );
}

function Problems({ problems }: { readonly problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="form-problem">
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  );
}
