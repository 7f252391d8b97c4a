/** The model sheet: what is loaded, another model to choose, its cost before a byte of weights moves, and its loading. */
import { useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import { requestFault } from "../../protocol/client.ts";
import type { ModelChoice, ModelReport } from "../../protocol/model-messages.ts";
import type { AppState } from "../../store/app-state.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useLeaveRun } from "../header/leave-run.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import { bytes } from "./amounts.ts";
import { choiceOf, draftOf, draftOfWanted, isSameChoice, type ModelDraft } from "./draft.ts";
import { FileChoice } from "./file-choice.tsx";
import { KeptModels } from "./kept-models.tsx";
import { LoadProgress } from "./load-progress.tsx";
import { LoadedModel } from "./loaded-model.tsx";
import { intoView } from "./into-view.ts";
import { ModelCost } from "./model-cost.tsx";
import { ModelPicker } from "./model-picker.tsx";
import { PromptTokens } from "./prompt-tokens.tsx";
import "../set-up/set-up.css";
import "./models.css";

type Look =
  | { readonly state: "none" }
  | { readonly state: "looking" }
  | { readonly state: "seen"; readonly report: ModelReport }
  | { readonly state: "refused"; readonly fault: FaultMessage };

/** Of the model that a run waits for, else of the present one. */
function firstDraft({ modelChoice, wantedModel }: AppState): ModelDraft {
  return { ...draftOf(modelChoice), ...(wantedModel !== null && draftOfWanted(wantedModel)) };
}

export function ModelsSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText().models;
  const actions = useActions();
  const leave = useLeaveRun();
  const { app } = usePage();
  const [draft, setDraft] = useState(() => firstDraft(app.store.getState()));
  const [look, setLook] = useState<Look>({ state: "none" });
  const loading = useApp((state) => state.run.phase === "loading");
  const choice = choiceOf(draft);
  const change = (part: Partial<ModelDraft>): void => {
    const onlyUse = Object.keys(part).every((key) => key === "storage" || key === "thinking");
    setDraft((old) => ({ ...old, ...part }));
    if (!onlyUse) setLook({ state: "none" });
  };
  const inspect = async (looked = choice): Promise<void> => {
    if (looked === null) return;
    setLook({ state: "looking" });
    try {
      setLook({ state: "seen", report: await actions.inspectModel(looked) });
    } catch (error) {
      setLook({ state: "refused", fault: requestFault(error, "inspectModel") });
    }
  };
  const load = (): void => {
    if (choice === null) return;
    const plan = look.state === "seen" ? planOf(look.report, draft) : null;
    // so that what is kept of it stays when the disk fills up; a browser that asks a person asks now
    if (choice.kind === "hub" || choice.kind === "url") void askToKeep();
    leave(() => actions.useModel(choice, plan?.microBatch ?? null));
  };
  return (
    <Sheet
      title={text.title}
      onClose={onClose}
      foot={
        loading ? (
          <LoadProgress />
        ) : (
          <Foot draft={draft} look={look} choice={choice} onLook={inspect} onLoad={load} />
        )
      }
    >
      <LoadedModel />
      <KeptModels
        onChoose={(part) => {
          change(part);
          void inspect(choiceOf({ ...draft, ...part }));
        }}
      />
      <ModelPicker draft={draft} onChange={change} />
      {look.state === "refused" && <Refused fault={look.fault} />}
      {choice?.kind === "hub" && look.state === "refused" && look.fault.code === "model-file-choice" && (
        <FileChoice
          choice={choice}
          onChoose={(file) => {
            change({ repo: `${choice.repo}/${file}` });
          }}
        />
      )}
      {look.state === "seen" && <ModelCost report={look.report} storage={draft.storage} />}
      <PromptTokens />
    </Sheet>
  );
}

async function askToKeep(): Promise<void> {
  const storage = navigator.storage as StorageManager | undefined; // plain http has none
  await storage?.persist().catch(() => false);
}

const planOf = (report: ModelReport, { storage }: ModelDraft) =>
  report.plans.find((plan) => plan.storage === storage) ?? null;

function Refused({ fault }: { readonly fault: FaultMessage }) {
  const text = useText().models;
  return (
    <div className="model-refused" role="alert" ref={intoView}>
      <b>{fault.code === "model-file-choice" ? text.chooseFile : text.refused}.</b>
      <p>{fault.message}</p>
    </div>
  );
}

interface FootProps {
  readonly draft: ModelDraft;
  readonly look: Look;
  /** null while something is missing. */
  readonly choice: ModelChoice | null;
  readonly onLook: () => Promise<void>;
  readonly onLoad: () => void;
}

/** First the cost, then the load. */
function Foot({ draft, look, choice, onLook, onLoad }: FootProps) {
  const text = useText().models;
  const isHere = useApp(
    ({ model, modelChoice }) => model !== null && choice !== null && isSameChoice(choice, modelChoice),
  );
  if (isHere) {
    return (
      <>
        <button type="button" className="pill main" disabled>
          {text.isLoaded}
        </button>
        <span className="soft">{text.nowTrain}</span>
      </>
    );
  }
  if (draft.kind === "bundled") {
    return (
      <>
        <button type="button" className="pill main" onClick={onLoad}>
          {text.loadBundled}
        </button>
        <span className="soft">{text.fresh}</span>
      </>
    );
  }
  if (look.state !== "seen") {
    return (
      <>
        <button
          type="button"
          className="pill main"
          disabled={choice === null || look.state === "looking"}
          onClick={() => void onLook()}
        >
          {text.look}
        </button>
        <span className="soft" role="status">
          {look.state === "looking" ? text.looking : text.beforeBytes}
        </span>
      </>
    );
  }
  const { keptAs } = look.report;
  const downloadBytes = keptAs.includes(draft.storage) ? 0 : look.report.downloadBytes;
  return (
    <>
      <button type="button" className="pill main" onClick={onLoad}>
        {text.load(downloadBytes === 0 ? null : bytes(downloadBytes))}
      </button>
      <span className="soft">{text.fresh}</span>
    </>
  );
}
