/** The learning panel and, behind its switch, more charts. The charts load after the first paint. */
import { lazy } from "react";
import { firstPaint } from "../first-paint.ts";
import { ArmKey, useArms } from "../parts/arm.tsx";
import { PartBoundary } from "../parts/part-boundary.tsx";
import { BandKey } from "../parts/seed.tsx";
import { useText } from "../text/text-context.ts";

const LearningCharts = lazy(async () => {
  await firstPaint;
  return { default: (await import("./learning-charts.tsx")).LearningCharts };
});
const MoreCharts = lazy(async () => ({ default: (await import("./more-charts.tsx")).MoreCharts }));

/** Loads it before the click; a failure shows when it is opened. */
const fetchSimulator = (): void => void import("../simulator/simulator-sheet.tsx").catch(() => undefined);

/** Height of the three charts, held while they load: nothing moves when they come. */
const CHARTS_HEIGHT = 676;

interface PanelProps {
  readonly more: boolean;
  readonly onMore: (more: boolean) => void;
  readonly onSimulator: () => void;
}

export function LearningPanel({ more, onMore, onSimulator }: PanelProps) {
  const { learning: text, simulator } = useText();
  const arms = useArms();
  return (
    <section className="card" aria-labelledby="learning-title">
      <div className="card-title">
        <h2 id="learning-title">{text.title}</h2>
        <ArmKey arms={arms} />
        <BandKey />
        <span className="grow" />
        <button
          type="button"
          className="pill small"
          data-tip={simulator.about}
          onPointerEnter={fetchSimulator}
          onFocus={fetchSimulator}
          onClick={onSimulator}
        >
          {simulator.title}
        </button>
        <button
          type="button"
          className="pill small"
          aria-pressed={more}
          onClick={() => {
            onMore(!more);
          }}
        >
          {more ? text.fewer : text.more}
        </button>
      </div>
      <div style={{ minHeight: CHARTS_HEIGHT }}>
        <PartBoundary>
          <LearningCharts />
        </PartBoundary>
      </div>
    </section>
  );
}

export function MoreChartsPanel() {
  const text = useText().learning;
  return (
    <section className="card wide" aria-labelledby="more-title">
      <div className="card-title">
        <h2 id="more-title">{text.more}</h2>
        <ArmKey arms={useArms()} />
        <BandKey />
      </div>
      <PartBoundary>
        <MoreCharts />
      </PartBoundary>
    </section>
  );
}
