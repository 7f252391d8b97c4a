/** The whole page: header, notices, rubric beside learning, the sentence, rollouts; sheets above. */
import { lazy, useCallback, useEffect, useState } from "react";
import type { LocalFile } from "../protocol/model-messages.ts";
import { PageContext, useActions, useApp, type PageDeps } from "./app-context.ts";
import { CellsSlot, CompareSlot } from "./compare/slots.tsx";
import { FetchAhead } from "./fetch-ahead.tsx";
import { Header, type PageSheet } from "./header/header.tsx";
import { LeaveGuard } from "./header/leave-run.tsx";
import { Notices } from "./header/notices.tsx";
import { JudgeSlot } from "./judge/judge-slot.tsx";
import { Intro } from "./intro/intro.tsx";
import { LearningPanel, MoreChartsPanel } from "./learning/learning-panel.tsx";
import { PartBoundary } from "./parts/part-boundary.tsx";
import { TipLayer } from "./parts/tip-layer.tsx";
import { RolloutsPanel } from "./rollouts/rollouts-panel.tsx";
import { ImportSlot } from "./rubric/import-slot.tsx";
import { RubricPanel } from "./rubric/rubric-panel.tsx";
import { SentencePanel } from "./sentence/sentence-panel.tsx";
import { useText } from "./text/text-context.ts";
import "./page.css";

// what opens on a click comes with the click
const AskSheet = lazy(async () => ({ default: (await import("./ask/ask-sheet.tsx")).AskSheet }));
const SimulatorSheet = lazy(async () => ({
  default: (await import("./simulator/simulator-sheet.tsx")).SimulatorSheet,
}));
const SetUpSheet = lazy(async () => ({ default: (await import("./set-up/set-up-sheet.tsx")).SetUpSheet }));
const ModelsSheet = lazy(async () => ({ default: (await import("./models/models-sheet.tsx")).ModelsSheet }));
const GlossarySheet = lazy(async () => ({
  default: (await import("./intro/glossary-sheet.tsx")).GlossarySheet,
}));
const SavedRunsSheet = lazy(async () => ({
  default: (await import("./saved/saved-runs-sheet.tsx")).SavedRunsSheet,
}));
const StartSheet = lazy(async () => ({ default: (await import("./adapters/start-sheet.tsx")).StartSheet }));
const MergedSheet = lazy(async () => ({
  default: (await import("./adapters/merged-sheet.tsx")).MergedSheet,
}));
const CriterionStory = lazy(async () => ({
  default: (await import("./story/criterion-story.tsx")).CriterionStory,
}));

export function Page({ deps }: { readonly deps: PageDeps }) {
  const text = useText();
  const [sheet, setSheet] = useState<PageSheet | null>(null);
  const [more, setMore] = useState(false);
  const [dropped, setDropped] = useState<readonly LocalFile[]>([]);
  const close = (): void => {
    setSheet(null);
    setDropped([]);
  };
  const startFrom = useCallback((files: readonly LocalFile[]): void => {
    setDropped(files);
    setSheet("start");
  }, []);
  const showGlossary = (): void => {
    setSheet("glossary");
  };
  const showModels = (): void => {
    setSheet("model");
  };
  useEffect(() => {
    document.documentElement.lang = text.language;
    document.title = text.name;
  }, [text]);
  return (
    <PageContext value={deps}>
      <LeaveGuard>
        <Header onOpen={setSheet} />
        <Notices
          onWritePrompts={() => {
            setSheet("prompts");
          }}
          onModel={showModels}
          onSavedRuns={() => {
            setSheet("saved");
          }}
        />
        <Intro onGlossary={showGlossary} />
        <main className="page">
          <RubricPanel />
          <LearningPanel
            more={more}
            onMore={setMore}
            onSimulator={() => {
              setSheet("simulator");
            }}
          />
          <SentencePanel />
          <CompareSlot more={more} />
          {more && <MoreChartsPanel />}
          <RolloutsPanel />
        </main>
        <footer className="page-foot">
          <button type="button" className="pill small" onClick={showGlossary}>
            {text.intro.glossary}
          </button>
        </footer>
        <PartBoundary key={sheet} onClose={close}>
          {(sheet === "set-up" || sheet === "prompts") && (
            <SetUpSheet toPrompts={sheet === "prompts"} onClose={close} />
          )}
          {sheet === "ask" && <AskSheet onClose={close} />}
          {sheet === "saved" && <SavedRunsSheet onClose={close} />}
          {sheet === "merged" && <MergedSheet onClose={close} />}
          {sheet === "start" && <StartSheet dropped={dropped} onClose={close} />}
          {sheet === "model" && <ModelsSheet onClose={close} />}
          {sheet === "simulator" && <SimulatorSheet onClose={close} />}
          {sheet === "glossary" && <GlossarySheet onClose={close} />}
        </PartBoundary>
        <CellsSlot />
        <JudgeSlot />
        <ImportSlot hidden={sheet === "model"} onModel={showModels} onAdapter={startFrom} />
        <Story />
      </LeaveGuard>
      <TipLayer />
      <FetchAhead />
    </PageContext>
  );
}

/** The story of the pinned criterion. */
function Story() {
  const { pinCriterion } = useActions();
  const pinned = useApp((state) =>
    state.rubric.criteria.find((criterion) => criterion.id === state.pinnedCriterion),
  );
  if (pinned === undefined) return null;
  return (
    <PartBoundary
      key={pinned.id}
      onClose={() => {
        pinCriterion(null);
      }}
    >
      <CriterionStory criterion={pinned} />
    </PartBoundary>
  );
}
