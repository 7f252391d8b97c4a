/** Metrics as a file: every raw row, not what the charts show. */
import { useRef } from "react";
import { useApp, usePage } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

function saveFile(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export function ExportMenu() {
  const text = useText().header;
  const { app, exporters } = usePage();
  const menu = useRef<HTMLDetailsElement>(null);
  const empty = useApp((state) => state.rowsVersion === 0 || state.spec === null);
  const name = useApp((state) => `${state.scenarioId}-seed${String(state.settings.seed)}`);
  const save = async (kind: "csv" | "jsonl"): Promise<void> => {
    if (menu.current !== null) menu.current.open = false;
    const rows = await app.actions.exportRows();
    const type = kind === "csv" ? "text/csv" : "application/x-ndjson";
    if (rows.length > 0) saveFile(`${name}.${kind}`, type, exporters[kind](rows));
  };
  return (
    <details ref={menu} className="export-menu">
      <summary className="pill">{text.export}</summary>
      <div>
        {(["csv", "jsonl"] as const).map((kind) => (
          <button key={kind} type="button" disabled={empty} onClick={() => void save(kind)}>
            {text[kind]}
          </button>
        ))}
      </div>
    </details>
  );
}
