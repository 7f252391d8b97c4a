/** What a person has typed of a judge, and the specification that it makes. Pure. */
import {
  endpointJudgeSchema,
  localJudgeSchema,
  type JudgeSpec,
  type RunJudges,
} from "../../../domain/run/judge-spec.ts";
import { sayIssues } from "../parts/problem-words.ts";
import type { Text } from "../text/en.ts";
import { enJudge } from "../text/en-judge.ts";

export const JUDGE_KINDS = ["none", "endpoint", "local"] as const;

type Values = Readonly<Record<string, unknown>>;

export interface JudgeDraft {
  readonly kind: (typeof JUDGE_KINDS)[number];
  /** Of an endpoint, by the schema's names. */
  readonly endpoint: Values;
  /** Of a local judge. */
  readonly local: Values;
}

const EMPTY: JudgeDraft = {
  kind: "none",
  endpoint: {
    ...endpointJudgeSchema.parse({ kind: "endpoint", url: "http://localhost", model: "?" }),
    model: "",
  },
  local: localJudgeSchema.parse({ kind: "local" }),
};

export function draftOf(spec: JudgeSpec | undefined): JudgeDraft {
  if (spec === undefined) return { ...EMPTY, endpoint: { ...EMPTY.endpoint, url: enJudge.places.Ollama } };
  return spec.kind === "endpoint"
    ? { ...EMPTY, kind: "endpoint", endpoint: spec }
    : { ...EMPTY, kind: "local", local: spec, endpoint: draftOf(undefined).endpoint };
}

export interface CheckedJudge {
  /** null while something is wrong; undefined = no judge. */
  readonly spec: JudgeSpec | undefined | null;
  readonly problems: readonly string[];
}

/** The judge that a draft makes, or what is wrong with it in words. */
export function checkJudge({ kind, endpoint, local }: JudgeDraft, text: Text): CheckedJudge {
  if (kind === "none") return { spec: undefined, problems: [] };
  if (kind === "local" && isUnloaded(local["model"])) return { spec: null, problems: [enJudge.loadFirst] };
  const read =
    kind === "endpoint"
      ? endpointJudgeSchema.safeParse(trimmed(endpoint))
      : localJudgeSchema.safeParse(local);
  if (read.success) return { spec: read.data, problems: [] };
  const label = (name: string): string => enJudge.fields[name] ?? name;
  return { spec: null, problems: sayIssues(read.error.issues, label, text.problems) };
}

/** A second model is chosen, and none is loaded yet. */
function isUnloaded(model: unknown): boolean {
  return typeof model === "object" && model !== null && "name" in model && model.name === "";
}

function trimmed(values: Values): Values {
  const { url, model } = values;
  const plain = (value: unknown): unknown => (typeof value === "string" ? value.trim() : value);
  const address = plain(url);
  return {
    ...values,
    url:
      typeof address === "string" ? address.replace(/\/+$/, "").replace(/\/chat\/completions$/, "") : address,
    model: plain(model),
  };
}

/** Both judges of a run; `heldOut` null = the same as the training's. null while something is wrong. */
export function judgesFrom(training: CheckedJudge, heldOut: CheckedJudge | null): RunJudges | null {
  if (training.spec === null || heldOut?.spec === null) return null;
  return {
    ...(training.spec === undefined ? {} : { judge: training.spec }),
    ...(heldOut?.spec === undefined ? {} : { heldOutJudge: heldOut.spec }),
  };
}
