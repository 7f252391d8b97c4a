/** Where the reward's weight will go before the first step, and who reads the criteria without a check. Pure. */
import { rewardRules } from "../../domain/reward/registry.ts";
import { pressureOverPrompts } from "../../domain/rubric/pressure.ts";
import type { Criterion } from "../../domain/rubric/schema.ts";
import type { RewardRuleName } from "../../domain/run/spec.ts";
import type { AppState } from "./app-state.ts";

/** Whether somebody reads the criteria without a check: the judge of the run; where there is none yet, the chosen one. */
export function hasJudge({ spec, settings }: Pick<AppState, "spec" | "settings">): boolean {
  return (spec ?? settings).judge !== undefined;
}

/**
 * Each criterion's share of the reward by the rule's formula with alpha 1. One that nobody reads has none: its verdicts are
 * missing, so every sum leaves it out.
 */
export function plannedPressures(
  criteria: readonly Criterion[],
  rule: RewardRuleName,
  promptIds: readonly string[],
  judged: boolean,
): readonly (number | null)[] {
  const isRead = ({ check }: Criterion): boolean => judged || check !== null;
  const read = criteria.map((criterion) => (isRead(criterion) ? criterion : { ...criterion, weight: 0 }));
  const atOne = (of: readonly Criterion[]): number[] =>
    rewardRules[rule].pressure(
      of,
      of.map(() => 1),
    );
  const shares = pressureOverPrompts(atOne, read, promptIds);
  return criteria.map((criterion, i) => (isRead(criterion) ? (shares?.[i] ?? null) : null));
}
