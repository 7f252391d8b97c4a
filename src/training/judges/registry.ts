/** The judges by kind. Each is loaded when it first judges: a run without a judge fetches none of it. */
import type { EndpointJudgeSpec, JudgeSpec, LocalJudgeSpec } from "../../domain/run/judge-spec.ts";
import type { CriterionJudge } from "../judging.ts";
import type { EndpointTools } from "./judge-tools.ts";
import type { LocalTools } from "./local-judge.ts";

type JudgeTools = EndpointTools & LocalTools;

interface JudgeDef<Spec> {
  /** Loads and makes it. */
  open(spec: Spec, tools: JudgeTools): Promise<CriterionJudge>;
}

const defs = {
  endpoint: {
    open: async (spec, tools) => (await import("./endpoint-judge.ts")).createEndpointJudge(spec, tools),
  } satisfies JudgeDef<EndpointJudgeSpec>,
  local: {
    open: async (spec, tools) => (await import("./local-judge.ts")).createLocalJudge(spec, tools),
  } satisfies JudgeDef<LocalJudgeSpec>,
} satisfies Record<JudgeSpec["kind"], unknown>;

/** The judge that a specification names. */
export function createJudge(spec: JudgeSpec, tools: JudgeTools): CriterionJudge {
  let opened: Promise<CriterionJudge> | null = null;
  const open = (): Promise<CriterionJudge> =>
    spec.kind === "endpoint" ? defs.endpoint.open(spec, tools) : defs.local.open(spec, tools);
  return {
    judge: async (...asked) => (await (opened ??= open())).judge(...asked),
  };
}
