/** What a run starts from: an adapter made elsewhere brings its LoRA settings with it. Pure. */
import { PlaygroundError } from "../../base/errors.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import type { ChosenStart } from "./app-state.ts";
import type { Settings } from "./set-up.ts";

/** The settings with the adapter's own LoRA settings. */
export function withStart(settings: Settings, chosen: ChosenStart | null): Settings {
  if (chosen === null) return settings;
  return { ...settings, grpo: { ...settings.grpo, lora: chosen.start.lora } };
}

/** The specification names what it starts from, and what it was made of before no more. */
export function startingFrom(made: RunSpec, chosen: ChosenStart | null): RunSpec {
  const spec = { ...made };
  delete spec.startAdapter;
  return chosen === null ? spec : { ...spec, startAdapter: chosen.start };
}

/** The part of a request that carries the numbers. */
export function startParams(chosen: ChosenStart | null): { readonly start?: Float32Array } {
  return chosen === null ? {} : { start: chosen.values };
}

/**
 * What a specification from a file starts from: it holds no numbers, so the adapter must have been opened before.
 * @throws PlaygroundError `adapter-refused`
 */
export function startOf({ startAdapter }: RunSpec, chosen: ChosenStart | null): ChosenStart | null {
  if (startAdapter === undefined) return null;
  if (chosen?.start.sha256 === startAdapter.sha256) return chosen;
  throw new PlaygroundError({
    code: "adapter-refused",
    where: "startAdapter",
    expected: `the adapter "${startAdapter.name}" (SHA-256 ${startAdapter.sha256.slice(0, 12)} …), from which this run starts`,
    got: chosen === null ? "none" : `"${chosen.start.name}"`,
    next: "Choose its files under Files, “An adapter to start from”, then open the settings again.",
  });
}
