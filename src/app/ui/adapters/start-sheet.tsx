/** A fresh run from an adapter made elsewhere: its files are looked into, what cannot be used says why, nothing is replaced before. */
import { useEffect, useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import type { OfferedAdapter, ReadAdapter } from "../../protocol/adapter-messages.ts";
import { requestFault } from "../../protocol/client.ts";
import type { LocalFile } from "../../protocol/model-messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { useLeaveRun } from "../header/leave-run.tsx";
import { LocalFiles } from "../models/local-files.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import "./adapters.css";

/** What came of looking into some files. */
type Answer = { readonly of: readonly LocalFile[] } & (
  { readonly adapters: readonly ReadAdapter[] } | { readonly fault: FaultMessage }
);

const ALL_MODULES = 7;

const isOffered = (read: ReadAdapter): read is OfferedAdapter => "start" in read;
const nameOf = (read: ReadAdapter): string => (isOffered(read) ? read.start.name : read.name);

/** What is in the files; null while they are being read. A later choice drops an earlier one's answer. */
function useAnswer(files: readonly LocalFile[]): Answer | null {
  const { readAdapters } = useActions();
  const [answer, setAnswer] = useState<Answer | null>(null);
  useEffect(() => {
    let gone = false;
    const tell = (told: Answer): void => {
      if (!gone) setAnswer(told);
    };
    if (files.length > 0) {
      readAdapters(files).then(
        (adapters) => {
          tell({ of: files, adapters });
        },
        (error: unknown) => {
          tell({ of: files, fault: requestFault(error, "readAdapters") });
        },
      );
    }
    return () => {
      gone = true;
    };
  }, [files, readAdapters]);
  return answer?.of === files ? answer : null;
}

interface SheetProps {
  /** Files that were dropped on the page. */
  readonly dropped: readonly LocalFile[];
  readonly onClose: () => void;
}

export function StartSheet({ dropped, onClose }: SheetProps) {
  const text = useText().adapters.start;
  const actions = useActions();
  const leave = useLeaveRun();
  const ready = useApp((state) => state.model !== null && state.run.phase !== "loading");
  const now = useApp((state) => state.startAdapter?.start.name ?? null);
  const [files, setFiles] = useState(dropped);
  const [picked, setPicked] = useState<string | null>(null);
  const answer = useAnswer(files);
  const adapters = answer !== null && "adapters" in answer ? answer.adapters : [];
  const offered = adapters.filter(isOffered);
  const chosen = offered.find(({ start }) => start.name === picked) ?? offered[0];
  const start = (adapter: OfferedAdapter | null): void => {
    onClose();
    leave(() => actions.startFrom(adapter));
  };
  return (
    <Sheet
      title={text.title}
      onClose={onClose}
      foot={
        <>
          <button
            type="button"
            className="pill main"
            disabled={!ready || chosen === undefined}
            onClick={() => {
              if (chosen !== undefined) start(chosen);
            }}
          >
            {text.go}
          </button>
          <span className="soft">{text.fresh}</span>
        </>
      }
    >
      <p className="soft">{text.means}</p>
      {now !== null && (
        <p>
          {text.now(now)}{" "}
          <button
            type="button"
            className="pill small"
            disabled={!ready}
            onClick={() => {
              start(null);
            }}
          >
            {text.none}
          </button>
        </p>
      )}
      <LocalFiles files={files} onFiles={setFiles} />
      {files.length > 0 && answer === null && <p role="status">{text.reading}</p>}
      {answer !== null && "fault" in answer && (
        <p className="form-problem" role="alert">
          {answer.fault.message}
        </p>
      )}
      <Found adapters={adapters} name={chosen?.start.name ?? null} onName={setPicked} />
    </Sheet>
  );
}

interface FoundProps {
  readonly adapters: readonly ReadAdapter[];
  readonly name: string | null;
  readonly onName: (name: string) => void;
}

function Found({ adapters, name, onName }: FoundProps) {
  const text = useText().adapters.start;
  if (adapters.length === 0) return null;
  return (
    <fieldset className="found-adapters">
      <legend>{text.found}</legend>
      {adapters.map((read) => (
        <div key={nameOf(read)}>
          <label className="form-check">
            <input
              type="radio"
              name="start-adapter"
              disabled={!isOffered(read)}
              checked={nameOf(read) === name}
              onChange={() => {
                onName(nameOf(read));
              }}
            />
            {nameOf(read)}
          </label>
          {isOffered(read) ? (
            <Facts offered={read} />
          ) : (
            <p className="form-problem" role="alert">
              {text.refused} {read.fault.message}
            </p>
          )}
        </div>
      ))}
    </fieldset>
  );
}

function Facts({ offered: { start, dropout } }: { readonly offered: OfferedAdapter }) {
  const text = useText().adapters.start;
  const { r, lora_alpha, use_rslora, target_modules } = start.lora;
  const facts = [
    text.rank(r, lora_alpha),
    ...(use_rslora ? [text.rslora] : []),
    target_modules.length === ALL_MODULES ? text.allModules : target_modules.join(", "),
    ...(start.baseModel === null ? [] : [text.madeFor(start.baseModel)]),
    ...(dropout > 0 ? [text.dropout(dropout)] : []),
  ];
  return <p className="soft">{facts.join(" · ")}</p>;
}
