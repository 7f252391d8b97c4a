/** All formats that a rubric may come in, in the order in which they are recognised: a new one is its file and one line here. */
import { csv } from "./csv.ts";
import type { RubricFormat } from "./format.ts";
import { healthBench } from "./healthbench.ts";
import { ifEval } from "./if-eval.ts";
import { infoBench } from "./info-bench.ts";
import { openRubrics } from "./open-rubrics.ts";
import { promptfoo } from "./promptfoo.ts";
import { rar } from "./rar.ts";
import { researchRubrics } from "./research-rubrics.ts";
import { rubricHub } from "./rubric-hub.ts";
import { verifiers } from "./verifiers.ts";

export const formats = {
  "if-eval": ifEval,
  "rubric-hub": rubricHub,
  "info-bench": infoBench,
  healthbench: healthBench,
  "research-rubrics": researchRubrics,
  rar,
  "open-rubrics": openRubrics,
  verifiers,
  promptfoo,
  csv,
} satisfies Record<string, RubricFormat>;

/** The names of the formats; "ours" is the rubric as it is here. */
export type FormatName = keyof typeof formats | "ours";
export const formatNames: readonly FormatName[] = [
  "ours",
  ...(Object.keys(formats) as (keyof typeof formats)[]),
];

export function formatTitle(name: FormatName): string {
  return name === "ours" ? "This page's own" : formats[name].title;
}
