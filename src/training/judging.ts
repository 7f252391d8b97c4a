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

/** Reads the criteria that no check decides. */
export interface CriterionJudge {
  /** [C][G]: every answer to one prompt under every criterion, in their orders. */
  judge(
    criteria: readonly Criterion[],
    answers: readonly Answer[],
    prompt: PromptFacts,
    signal?: AbortSignal,
  ): Promise<readonly (readonly CheckedJudgement[])[]>;
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

/** Judges every answer of a sampled group under every criterion. */
export async function judgeGroup(
  deps: JudgingDeps,
  criteria: readonly Criterion[],
  group: Pick<SampledGroup, "prompt" | "answers">,
  signal?: AbortSignal,
): Promise<JudgedGroup> {
  const judged = await judgeAnswers(deps, criteria, { ...group, prompt: promptFacts(group.prompt), signal });
  return {
    verdicts: judged.map((row) => row.map((judgement) => judgement.verdict)),
    reasons: judged.map((row) => row.map((judgement) => judgement.reason)),
    failures: judged.flatMap((row) =>
      row.flatMap(({ failed, reason }, j) =>
        failed ? [{ criterionId: criteria[j]?.id ?? "", reason }] : [],
      ),
    ),
  };
}

interface Answered {
  readonly prompt: PromptFacts;
  readonly answers: readonly Answer[];
  readonly signal?: AbortSignal | undefined;
}

/** [G][C]: every answer to one prompt under every criterion, in the rubric's order. */
export async function judgeAnswers(
  deps: JudgingDeps,
  criteria: readonly Criterion[],
  group: Answered,
): Promise<readonly (readonly CheckedJudgement[])[]> {
  await loadChecks(deps.checks, criteria);
  const columns: (readonly CheckedJudgement[])[] = [];
  for (const criterion of criteria) columns.push(await column(deps, criterion, group));
  await askJudge(deps, criteria, group, columns);
  return group.answers.map((_, g) =>
    columns.map((judgements) => judgements[g] ?? missing("no verdict came back", true)),
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

/** Puts the judge's verdicts in the columns of the criteria without a check. */
async function askJudge(
  { judge = null }: JudgingDeps,
  criteria: readonly Criterion[],
  group: Answered,
  columns: (readonly CheckedJudgement[])[],
): Promise<void> {
  const open = criteria.flatMap((criterion, at) =>
    criterion.check === null && counts(criterion, group) ? [{ criterion, at }] : [],
  );
  if (judge === null || open.length === 0) return;
  const asked = open.map(({ criterion }) => criterion);
  const judged = await judge.judge(asked, group.answers, group.prompt, group.signal);
  open.forEach(({ criterion, at }, i) => {
    const column = judged[i] ?? [];
    columns[at] = criterion.penalty === true ? column.map(negated) : column;
  });
}

function negated<J extends Judgement>(judgement: J): J {
  return { ...judgement, verdict: judgement.verdict === null ? null : 1 - judgement.verdict };
}

function missing(reason: string, failed: boolean): CheckedJudgement {
  return { verdict: null, reason, spans: [], failed };
}
