/**
 * From answers to verdicts, by the programmatic checks and by a judge where a criterion has none. A verdict that could not be
 * had is missing with its reason, never 0, and a check that fails is counted. Arguments are read once a group.
 */
import {
  findCheck,
  loadChecks,
  type CheckDef,
  type CheckedJudgement,
  type CheckTable,
  type CheckTools,
} from "../domain/rubric/checks/check.ts";
import { appliesTo } from "../domain/rubric/criteria.ts";
import type { Criterion } from "../domain/rubric/schema.ts";
import type { Answer, Judgement, PromptFacts, VerdictMatrix } from "../domain/rubric/verdicts.ts";
import { promptFacts, type SampledGroup } from "./rollout.ts";

/** Answers to one prompt, and the criteria that a judge is to read of them. */
export interface JudgedAnswers {
  readonly prompt: PromptFacts;
  readonly answers: readonly Answer[];
  readonly criteria: readonly Criterion[];
}

/** Reads the criteria that no check decides. */
export interface CriterionJudge {
  /** [P][C][G]: all groups at once, so that a judge may work at several; in each every answer under every criterion, in their orders. */
  judge(
    groups: readonly JudgedAnswers[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly (readonly CheckedJudgement[])[])[]>;
}

/** What verdicts are made with; what is left out does not exist here. */
export interface JudgingDeps extends Partial<CheckTools> {
  readonly checks: CheckTable;
  readonly judge?: CriterionJudge | null;
}

/** A verdict that is missing because something went wrong, rather than because nobody judges it. */
export interface JudgingFailure {
  readonly criterionId: string;
  readonly reason: string;
}

/** One group's verdicts before any noise. */
export interface JudgedGroup {
  /** [G][C] */
  readonly verdicts: VerdictMatrix;
  /** [G][C], the reason of each verdict in words. */
  readonly reasons: readonly (readonly string[])[];
  readonly failures: readonly JudgingFailure[];
}

/** Judges every answer of the sampled groups under every criterion. */
export async function judgeGroups(
  deps: JudgingDeps,
  criteria: readonly Criterion[],
  groups: readonly Pick<SampledGroup, "prompt" | "answers">[],
  signal?: AbortSignal,
): Promise<JudgedGroup[]> {
  const answered = groups.map(({ prompt, answers }) => ({ prompt: promptFacts(prompt), answers }));
  const judged = await judgeAnswers(deps, criteria, answered, signal);
  return judged.map((group) => judgedGroup(criteria, group));
}

function judgedGroup(
  criteria: readonly Criterion[],
  rows: readonly (readonly CheckedJudgement[])[],
): JudgedGroup {
  return {
    verdicts: rows.map((row) => row.map((judgement) => judgement.verdict)),
    reasons: rows.map((row) => row.map((judgement) => judgement.reason)),
    failures: rows.flatMap((row) =>
      row.flatMap(({ failed, reason }, j) =>
        failed ? [{ criterionId: criteria[j]?.id ?? "", reason }] : [],
      ),
    ),
  };
}

type Answered = Omit<JudgedAnswers, "criteria">;

/** [P][G][C]: every answer to every prompt under every criterion, in the rubric's order. */
export async function judgeAnswers(
  deps: JudgingDeps,
  criteria: readonly Criterion[],
  groups: readonly Answered[],
  signal?: AbortSignal,
): Promise<readonly (readonly (readonly CheckedJudgement[])[])[]> {
  await loadChecks(deps.checks, criteria);
  const columns: (readonly CheckedJudgement[])[][] = [];
  for (const group of groups) {
    const own: (readonly CheckedJudgement[])[] = [];
    for (const criterion of criteria) own.push(await column(deps, criterion, group));
    columns.push(own);
  }
  await askJudge(deps.judge ?? null, criteria, { groups, columns, signal });
  return groups.map(({ answers }, p) =>
    answers.map((_, g) => (columns[p] ?? []).map((judgements) => judgements[g] ?? NOTHING)),
  );
}

/** [G] One criterion's judgements; its verdict is missing where it has no check. */
async function column(
  deps: JudgingDeps,
  criterion: Criterion,
  group: Answered,
): Promise<readonly CheckedJudgement[]> {
  const all = (judgement: CheckedJudgement): CheckedJudgement[] => group.answers.map(() => judgement);
  if (!counts(criterion, group)) return all(missing("does not apply to this prompt", false));
  const spec = criterion.check;
  if (spec === null) return all(missing("needs a judge: no programmatic check reads this criterion", false));
  const def = findCheck(deps.checks, spec.type);
  if (def === undefined) return all(missing(`there is no check called "${spec.type}"`, true));
  const args = def.args.safeParse(spec.args);
  if (!args.success)
    return all(missing(`the arguments of "${spec.type}" do not fit: ${args.error.message}`, true));
  const inverted = spec.negate !== (criterion.penalty === true);
  const judged = await checked(deps, def, { args: args.data, name: spec.type }, group);
  return inverted ? judged.map(negated) : judged;
}

const counts = (criterion: Criterion, { prompt }: Answered): boolean =>
  prompt.id === undefined || appliesTo(criterion, prompt.id);

interface Asked {
  readonly name: string;
  readonly args: unknown;
}

/** [G] */
async function checked(
  { sandbox = null, embedder = null }: JudgingDeps,
  def: CheckDef,
  { args, name }: Asked,
  { answers, prompt }: Answered,
): Promise<readonly CheckedJudgement[]> {
  const broken = (error: unknown): CheckedJudgement =>
    missing(`"${name}" failed: ${error instanceof Error ? error.message : String(error)}`, true);
  if ("ask" in def) {
    try {
      return await def.ask(answers, args, prompt, { sandbox, embedder });
    } catch (error) {
      return answers.map(() => broken(error));
    }
  }
  return answers.map((answer) => {
    try {
      return { ...def.judge(answer, args, prompt), failed: false };
    } catch (error) {
      return broken(error);
    }
  });
}

interface Open {
  readonly groups: readonly Answered[];
  /** [P][C][G], to be filled in. */
  readonly columns: readonly (readonly CheckedJudgement[])[][];
  readonly signal: AbortSignal | undefined;
}

/** Puts the judge's verdicts in the columns of the criteria without a check. */
async function askJudge(
  judge: CriterionJudge | null,
  criteria: readonly Criterion[],
  { groups, columns, signal }: Open,
): Promise<void> {
  const asked = groups.flatMap((group, p) => {
    const open = criteria.filter((criterion) => criterion.check === null && counts(criterion, group));
    return open.length === 0 ? [] : [{ p, group: { ...group, criteria: open } }];
  });
  if (judge === null || asked.length === 0) return;
  const judged = await judge.judge(
    asked.map(({ group }) => group),
    signal,
  );
  asked.forEach(({ p, group }, i) => {
    group.criteria.forEach((criterion, j) => {
      const column = judged[i]?.[j] ?? [];
      const own = columns[p] ?? [];
      own[criteria.indexOf(criterion)] = criterion.penalty === true ? column.map(negated) : column;
    });
  });
}

function negated<J extends Judgement>(judgement: J): J {
  return { ...judgement, verdict: judgement.verdict === null ? null : 1 - judgement.verdict };
}

const NOTHING: CheckedJudgement = {
  verdict: null,
  reason: "no verdict came back",
  spans: [],
  failed: true,
};

function missing(reason: string, failed: boolean): CheckedJudgement {
  return { verdict: null, reason, spans: [], failed };
}
