/** The simulator over the page: settings beside the rules compared, or the map at these settings. */
import { useState } from "react";
import { rewardRuleNames, type RewardRuleName } from "../../../domain/run/spec.ts";
import type { SimulatorSettings } from "../../../domain/simulator/settings.ts";
import type { SimulatorJob } from "../../simulator/messages.ts";
import { usePage } from "../app-context.ts";
import { Sheet } from "../parts/sheet.tsx";
import { Explained } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { CompareView } from "./compare-view.tsx";
import { MapView } from "./map-view.tsx";
import { useRuleLooks } from "./rule-looks.ts";
import { defaultSettings, withSetting } from "./settings-fields.ts";
import { SettingsPanel } from "./settings-panel.tsx";
import { useSimulation, type Simulation } from "./use-simulation.ts";
import "./simulator.css";

type View = "compare" | "map";

export function SimulatorSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText().simulator;
  const { makeSimulator } = usePage();
  const [view, setView] = useState<View>("compare");
  const [settings, setSettings] = useState(defaultSettings);
  const [rules, setRules] = useState<readonly RewardRuleName[]>(rewardRuleNames);
  const job: SimulatorJob = view === "map" ? { kind: "map", settings } : { kind: "compare", settings, rules };
  const simulation = useSimulation(makeSimulator, job);
  return (
    <Sheet title={text.title} onClose={onClose} wide>
      <p className="soft simulator-about">{text.about}</p>
      <div className="simulator">
        <SettingsPanel settings={settings} onSettings={setSettings} />
        <div className="simulator-picture">
          <div className="simulator-head">
            <ViewSwitch view={view} onView={setView} />
            {view === "compare" && <RuleToggles rules={rules} onRules={setRules} />}
            <Progress simulation={simulation} cells={view === "map"} />
          </div>
          {view === "compare" ? (
            <CompareView comparison={simulation.comparison} />
          ) : (
            <MapView
              cells={simulation.cells}
              seeds={settings.seeds}
              onOpen={({ judgeNoise, flatWeight }) => {
                setSettings((old) => atCell(old, judgeNoise, flatWeight));
                setView("compare");
              }}
            />
          )}
        </div>
      </div>
    </Sheet>
  );
}

function atCell(settings: SimulatorSettings, judgeNoise: number, flatWeight: number): SimulatorSettings {
  return withSetting(withSetting(settings, "judgeNoise", judgeNoise), "flatWeight", flatWeight);
}

function ViewSwitch({ view, onView }: { readonly view: View; readonly onView: (view: View) => void }) {
  const text = useText().simulator;
  return (
    <span className="arm-switch" role="group" aria-label={text.viewsLabel}>
      {(["compare", "map"] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={view === name}
          onClick={() => {
            onView(name);
          }}
        >
          {text.views[name]}
        </button>
      ))}
    </span>
  );
}

interface TogglesProps {
  readonly rules: readonly RewardRuleName[];
  readonly onRules: (rules: readonly RewardRuleName[]) => void;
}

/** Which rules are drawn; static stays, since all are timed against it. */
function RuleToggles({ rules, onRules }: TogglesProps) {
  const text = useText().simulator;
  const looks = useRuleLooks();
  return (
    <span className="rule-toggles" role="group" aria-label={text.rules}>
      {rewardRuleNames.map((rule) => {
        const { name, color, dash, means } = looks[rule];
        const key = (
          <svg width="18" height="4" aria-hidden>
            <line x1="0" x2="18" y1="2" y2="2" stroke={color} strokeWidth="3" strokeDasharray={dash} />
          </svg>
        );
        if (rule === "static-scalar") {
          return (
            <span key={rule} className="rule-toggle">
              {key} <Explained means={means}>{name}</Explained>
            </span>
          );
        }
        return (
          <label key={rule} className="rule-toggle" data-tip={means}>
            <input
              type="checkbox"
              aria-description={means}
              checked={rules.includes(rule)}
              onChange={({ target }) => {
                onRules(
                  rewardRuleNames.filter((other) =>
                    other === rule ? target.checked : rules.includes(other),
                  ),
                );
              }}
            />
            {key} {name}
          </label>
        );
      })}
    </span>
  );
}

/** Its place is fixed: only its words change. */
function Progress({ simulation, cells }: { readonly simulation: Simulation; readonly cells: boolean }) {
  const text = useText().simulator;
  const { done, total, fault } = simulation;
  if (fault !== null) {
    return (
      <span className="simulator-progress bad" role="alert">
        {text.problem(fault.message)}
      </span>
    );
  }
  const words = cells
    ? text.cells(done, total)
    : done === total
      ? text.finished(total)
      : text.progress(done, total);
  return (
    <span className="simulator-progress soft" role="status">
      {total > 0 ? words : ""}
    </span>
  );
}
