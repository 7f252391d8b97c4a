/** Which settings have a slider, how far it goes, and how a value reads. Pure. */
import { simulatorSettingsSchema, type SimulatorSettings } from "../../../domain/simulator/settings.ts";

export type SliderName = Exclude<
  keyof SimulatorSettings,
  "flatPlaces" | "scale_rewards" | "epsilon" | "goalStep"
>;

export interface SliderSpec {
  readonly name: SliderName;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The field shows the value times this: shares are typed in per cent. */
  readonly scale: number;
  readonly unit: string;
}

const slider = (
  name: SliderName,
  [min, max, step]: readonly [number, number, number],
  unit = "",
): SliderSpec => ({ name, min, max, step, scale: unit === "%" ? 100 : 1, unit });

export const sliderGroups = {
  judge: [
    slider("judgeNoise", [0, 20, 0.5], "%"),
    slider("flatShare", [0, 100, 5], "%"),
    slider("flatWeight", [1, 20, 0.5], ": 1"),
    slider("categories", [1, 10, 1]),
    slider("criteria", [2, 60, 1]),
  ],
  grpo: [
    slider("num_generations", [2, 64, 1]),
    slider("stepSize", [0.05, 1, 0.05]),
    slider("steps", [30, 600, 10]),
    slider("seeds", [1, 40, 1]),
  ],
  alpha: [
    slider("lambda", [0, 1, 0.05]),
    slider("alpha_min", [0.05, 1, 0.05]),
    slider("alpha_max", [1, 10, 0.5]),
    slider("beta_ema", [0.05, 1, 0.05]),
    slider("alpha_interval", [1, 20, 1]),
  ],
} as const satisfies Readonly<Record<string, readonly SliderSpec[]>>;

export const defaultSettings: SimulatorSettings = simulatorSettingsSchema.parse({});

/** A changed setting, with what follows from it: never more categories than criteria, the goal at two thirds of the steps. */
export function withSetting(
  settings: SimulatorSettings,
  name: keyof SimulatorSettings,
  value: number | string,
): SimulatorSettings {
  const changed = { ...settings, [name]: value };
  const { criteria, categories, steps } = changed;
  const fitting =
    name === "criteria"
      ? { categories: Math.min(categories, criteria) }
      : { criteria: Math.max(categories, criteria) };
  return { ...changed, ...fitting, goalStep: Math.round((steps * 2) / 3) };
}

/** A typed value in its bounds and on whole numbers where only these count; null for what is no number. */
export function typedValue(spec: SliderSpec, text: string): number | null {
  const typed = Number(text.replace(",", "."));
  if (text.trim() === "" || !Number.isFinite(typed)) return null;
  const bounded = Math.min(spec.max, Math.max(spec.min, typed));
  const whole = Number.isInteger(spec.step) && spec.scale === 1 ? Math.round(bounded) : bounded;
  return Number((whole / spec.scale).toPrecision(12));
}

/** A value as its field shows it. */
export function shownValue(spec: SliderSpec, value: number): number {
  return Number((value * spec.scale).toPrecision(6));
}
