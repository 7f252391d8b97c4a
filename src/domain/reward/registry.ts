/** Every reward rule by its name. A new rule is one file, one name in run/spec.ts and one line here. */
import type { RewardRuleName } from "../run/spec.ts";
import { binaryRule } from "./binary.ts";
import { categoryBalancedRule } from "./category-balanced.ts";
import { gdpoRule } from "./gdpo.ts";
import { pow3rRule } from "./pow3r.ts";
import type { RewardRuleDef } from "./reward.ts";
import { staticScalarRule } from "./static-scalar.ts";

export const rewardRules = {
  pow3r: pow3rRule,
  "static-scalar": staticScalarRule,
  "category-balanced": categoryBalancedRule,
  gdpo: gdpoRule,
  binary: binaryRule,
} satisfies Record<RewardRuleName, RewardRuleDef>;
