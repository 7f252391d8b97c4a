/** Saves the model with an arm's adapter merged into its weights, for a folder that transformers loads. */
import { useState } from "react";
import type { MergedDtype } from "../../protocol/adapter-messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { bytes } from "../models/amounts.ts";
import { useArms } from "../parts/arm.tsx";
import { saveFile } from "../parts/save-file.ts";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";

type Choice = MergedDtype | "loaded";
const CHOICES: readonly Choice[] = ["loaded", "F32", "BF16"];
const BYTES: Readonly<Record<MergedDtype, number>> = { F32: 4, BF16: 2 };

export function MergedSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText().adapters.merged;
  const { exportMerged } = useActions();
  const arms = useArms();
  const seed = useApp((state) => state.focusSeed);
  const seeds = useApp((state) => state.seeds);
  const model = useApp((state) => state.model);
  const focus = useApp((state) => state.focusArm);
  const [arm, setArm] = useState(focus);
  const [choice, setChoice] = useState<Choice>("loaded");
  const [writing, setWriting] = useState(false);
  const save = async (): Promise<void> => {
    setWriting(true);
    const merged = await exportMerged({ seed, arm, dtype: choice === "loaded" ? null : choice });
    setWriting(false);
    if (merged === null) {
      onClose(); // the page says why
      return;
    }
    saveFile(
      `${model?.name.replaceAll(/[^\w.-]/g, "_") ?? "model"}-${arm}-${merged.dtype}`,
      "zip",
      merged.zip,
    );
  };
  return (
    <Sheet
      title={text.title}
      onClose={onClose}
      foot={
        <button
          type="button"
          className="pill main"
          disabled={model === null || writing}
          onClick={() => void save()}
        >
          {writing ? text.writing : text.go}
        </button>
      }
    >
      <p className="soft">{text.means}</p>
      {model !== null && model.identity !== null && model.identity.storage !== "f32" && (
        <p className="soft">{text.blocks}</p>
      )}
      <div className="form-row" role="radiogroup" aria-label={text.arm}>
        {arms.map(({ id, name }) => (
          <label key={id} className="form-check">
            <input
              type="radio"
              name="merged-arm"
              checked={arm === id}
              onChange={() => {
                setArm(id);
              }}
            />
            {name}
          </label>
        ))}
        {seeds.length > 1 && <span className="soft">{text.seed(seed)}</span>}
      </div>
      <div className="form-row" role="radiogroup" aria-label={text.dtype}>
        {CHOICES.map((each) => (
          <label key={each} className="form-check">
            <input
              type="radio"
              name="merged-dtype"
              checked={choice === each}
              onChange={() => {
                setChoice(each);
              }}
            />
            {text.dtypes[each]}
            {each !== "loaded" && model !== null && (
              <span className="soft">{bytes(model.parameters * BYTES[each])}</span>
            )}
          </label>
        ))}
      </div>
    </Sheet>
  );
}
