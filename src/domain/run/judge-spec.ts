/**
 * Which judge reads the criteria that no check decides, as a run's specification names it. Everything that its verdicts depend
 * on stands here; a key never does.
 */
import { z } from "zod";

/** What the run does when the judge has nothing to say any more. */
const withoutVerdicts = z.enum(["pause", "missing"]);

/** Address of an OpenAI-compatible API, up to and without `/chat/completions`. A key belongs in a header, so none may stand in it. */
const judgeUrlSchema = z.string().superRefine((text, context) => {
  const problem = urlProblem(text);
  if (problem !== null) context.addIssue({ code: "custom", message: problem });
});

const ADDRESS = /^https?:\/\/([^/?#\s]+)([^?#\s]*)([?#]\S*)?$/;

/** What keeps a text from being the address of a judge; null where nothing does. */
function urlProblem(text: string): string | null {
  const [, host = "", , rest] = ADDRESS.exec(text) ?? [];
  if (host === "") return "an address such as http://localhost:11434/v1";
  if (host.includes("@")) return "an address without a name or password before its host";
  return rest === undefined ? null : "an address without “?” and “#”: the key has a field of its own";
}

export const endpointJudgeSchema = z.strictObject({
  kind: z.literal("endpoint"),
  url: judgeUrlSchema,
  model: z.string().min(1),
  /** One call a criterion (HealthBench's grader, POW3R), or one call with the whole list of criteria (RaR, EvoRubrics). */
  style: z.enum(["criterion", "rubric"]).default("criterion"),
  temperature: z.number().min(0).max(2).default(0),
  /** Of one reply, its reasoning included. */
  max_tokens: z.int().min(16).max(32_768).default(1024),
  /** Calls at once. */
  concurrency: z.int().min(1).max(64).default(8),
  /** Of one call, in seconds. */
  timeoutS: z.number().min(0.1).max(600).default(60),
  /** Further tries of a call that found the endpoint busy, failing or silent. */
  retries: z.int().min(0).max(10).default(4),
  /** [ours] Most calls of a run, tries included; null = no bound. */
  maxCalls: z.int().min(1).max(1e7).nullable().default(null),
  /** [ours] Most tokens of a run, prompts and replies together; null = no bound. */
  maxTotalTokens: z.int().min(1).max(1e10).nullable().default(null),
  /** [ours] When the budget is spent. */
  whenSpent: withoutVerdicts.default("pause"),
  /** [ours] When not one verdict of a group could be had. */
  whenSilent: withoutVerdicts.default("pause"),
});
export type EndpointJudgeSpec = z.infer<typeof endpointJudgeSchema>;

export const localJudgeSchema = z.strictObject({
  kind: z.literal("local"),
  /** The model that is trained, its adapter off; or the second one that is loaded as the judge, by its name. */
  model: z.union([z.literal("base"), z.strictObject({ name: z.string().min(1) })]).default("base"),
  /** A criterion is met where P(yes) / (P(yes) + P(no)) is at least this. */
  threshold: z.number().gt(0).lt(1).default(0.5),
});
export type LocalJudgeSpec = z.infer<typeof localJudgeSchema>;

export const judgeSpecSchema = z.discriminatedUnion("kind", [endpointJudgeSchema, localJudgeSchema]);
export type JudgeSpec = z.infer<typeof judgeSpecSchema>;

/** A run's judges: absent = none; without one of its own the held-out evaluation asks the training's. */
export interface RunJudges {
  readonly judge?: JudgeSpec;
  readonly heldOutJudge?: JudgeSpec;
}

/** Those of a specification or of settings, and nothing else of it. */
export function judgesOf({ judge, heldOutJudge }: RunJudges): RunJudges {
  return {
    ...(judge === undefined ? {} : { judge }),
    ...(heldOutJudge === undefined ? {} : { heldOutJudge }),
  };
}
