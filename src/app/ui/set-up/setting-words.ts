/** The words of a setting: POW3R's own where it shares a name with GRPO. */
import type { Text } from "../text/en.ts";

export type SettingGroup = "grpo" | "lora" | "pow3r" | "run";

export function settingLabel(text: Text, group: SettingGroup, name: string): string {
  return text.settings[`${group}.${name}`] ?? text.settings[name] ?? name;
}

/** One sentence: what it does; "" where nobody wrote one. */
export function settingMeaning(text: Text, group: SettingGroup, name: string): string {
  return text.settingMeans[`${group}.${name}`] ?? text.settingMeans[name] ?? "";
}
