/** Earlier rollouts for the inspector: the last steps only, since their texts grow without end. */
import type { RolloutGroup } from "../../domain/run/records.ts";

/** Steps kept, every arm, over all seeds. */
export const KEPT_STEPS = 100;

export interface RolloutShelf {
  /** Replaces the groups of the same arm and step. */
  put(groups: readonly RolloutGroup[]): void;
  /** One arm's groups of one step; empty when they are not there any more. */
  find(arm: string, step: number): readonly RolloutGroup[];
  clear(): void;
}

/** The shelf of one seed. */
export function createRolloutShelf(keptSteps = KEPT_STEPS): RolloutShelf {
  const bySteps = new Map<number, readonly RolloutGroup[]>();
  return {
    put: (groups) => {
      for (const step of new Set(groups.map((group) => group.step))) {
        const arrived = groups.filter((group) => group.step === step);
        const arms = new Set(arrived.map((group) => group.arm));
        const others = (bySteps.get(step) ?? []).filter((group) => !arms.has(group.arm));
        bySteps.set(step, [...others, ...arrived]);
      }
      const oldest = Math.max(0, ...bySteps.keys()) - keptSteps;
      for (const step of bySteps.keys()) if (step <= oldest) bySteps.delete(step);
    },
    find: (arm, step) => (bySteps.get(step) ?? []).filter((group) => group.arm === arm),
    clear: () => {
      bySteps.clear();
    },
  };
}
