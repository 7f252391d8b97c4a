/** Which plan an update takes where nobody says. */
import type { ModelConfig } from "../../engine/nn/model-config.ts";
import { parameterCount } from "../../engine/nn/pretrain-graph.ts";

export type PlanName = "whole" | "layered";

/** Parameters from which on the layered plan is taken. */
const LAYERED_FROM_PARAMETERS = 20e6;

/** The plan for a model of this size. */
export function choosePlan(config: ModelConfig): PlanName {
  return parameterCount(config) < LAYERED_FROM_PARAMETERS ? "whole" : "layered";
}
