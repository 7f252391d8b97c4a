/** A model on its way: bytes, rate, time left, and a way to give it up. */
import type { Progress } from "../../protocol/messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { duration } from "../format.ts";
import { useText } from "../text/text-context.ts";
import { bytes } from "./amounts.ts";

/** Bytes a second, of which the time left was told; null before it is. */
function rateOf({ unit, done, total, leftMs }: Progress): number | null {
  return unit !== "bytes" || leftMs === null || leftMs <= 0 ? null : (1000 * (total - done)) / leftMs;
}

export function LoadProgress() {
  const words = useText();
  const text = words.models;
  const { cancelLoad } = useActions();
  const progress = useApp((state) => state.progress);
  const rate = progress && rateOf(progress);
  const label = words.progress[progress?.phase ?? "loading"];
  const facts = [
    ...(progress?.unit === "bytes" ? [`${bytes(progress.done)} / ${bytes(progress.total)}`] : []),
    ...(rate === null ? [] : [text.rate(bytes(rate))]),
    ...(progress?.leftMs == null ? [] : [words.header.left(duration(progress.leftMs))]),
  ];
  return (
    <div className="model-loading">
      <span role="status">{label}</span>
      <progress
        aria-label={label}
        max={progress?.total ?? 1}
        {...(progress === null ? {} : { value: progress.done })}
      />
      <span className="soft">{facts.join(" · ")}</span>
      <button type="button" className="pill small" onClick={() => void cancelLoad()}>
        {text.cancel}
      </button>
    </div>
  );
}
