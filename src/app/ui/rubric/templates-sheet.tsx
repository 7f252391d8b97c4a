/** Rubrics to start from, of the scenario on show: choosing one is an edit like any other. */
import type { Rubric } from "../../../domain/rubric/schema.ts";
import { templates } from "../../../domain/scenarios/templates/registry.ts";
import { templateRubric, type RubricTemplate } from "../../../domain/scenarios/templates/template.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import "./templates.css";

interface Start {
  readonly title: string;
  readonly teaches: string;
  readonly rubric: Rubric;
}

/** The scenario's own rubric first. */
function useStarts(): readonly Start[] {
  const text = useText().rubricEditor.templates;
  const { app } = usePage();
  const scenarioId = useApp((state) => state.scenarioId);
  const setUpId = useApp((state) => state.setUpId);
  const scenario = app.scenarios.find((known) => known.id === scenarioId) ?? app.scenarios[0];
  const setUp = scenario.setUps.find((known) => known.id === setUpId) ?? scenario.setUps[0];
  const table: Readonly<Record<string, readonly RubricTemplate[]>> = templates;
  const own = Object.hasOwn(templates, scenario.id) ? (table[scenario.id] ?? []) : [];
  return [
    { title: text.own, teaches: text.ownTeaches, rubric: setUp.rubric },
    ...own.map((template) => ({ ...template, rubric: templateRubric(scenario, template) })),
  ];
}

export function TemplatesSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText().rubricEditor.templates;
  const actions = useActions();
  const inUse = useApp((state) => JSON.stringify(state.rubric));
  return (
    <Sheet title={text.title} onClose={onClose}>
      <p className="soft">{text.hint}</p>
      <ul className="templates">
        {useStarts().map(({ title, teaches, rubric }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{teaches}</p>
            <p className="soft">
              {text.size(
                rubric.criteria.length,
                new Set(rubric.criteria.map(({ category }) => category)).size,
              )}
            </p>
            {JSON.stringify(rubric) === inUse ? (
              <span className="soft">{text.inUse}</span>
            ) : (
              <button
                type="button"
                className="pill small"
                onClick={() => {
                  actions.replaceRubric(rubric);
                  onClose();
                }}
              >
                {text.use(title)}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
