/** How a reward rule looks in the simulator: as its arm does on the page. */
import { useMemo } from "react";
import { rewardRuleNames, type RewardRuleName } from "../../../domain/run/spec.ts";
import { armLooks, type ArmLook } from "../parts/arm.tsx";
import { useText } from "../text/text-context.ts";

export function useRuleLooks(): Readonly<Record<RewardRuleName, ArmLook>> {
  const { rules } = useText();
  return useMemo(() => {
    const looks = armLooks(
      rewardRuleNames.map((rule) => ({ id: rule, rule })),
      rules,
    );
    return Object.fromEntries(looks.map((look) => [look.rule, look])) as Record<RewardRuleName, ArmLook>;
  }, [rules]);
}
