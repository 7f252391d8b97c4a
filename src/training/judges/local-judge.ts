/**
 * A language model of this machine as the judge: the frozen base (adapter off, so it takes no memory of its own) or a second
 * model. A criterion is met where the next token after the question is rather Yes than No. All criteria on an answer, or all answers
 * of a group, are asked in one batch, and what their questions begin with alike runs through the model once.
 */
import { PlaygroundError } from "../../base/errors.ts";
import type { CheckedJudgement } from "../../domain/rubric/checks/check.ts";
import type { LocalJudgeSpec } from "../../domain/run/judge-spec.ts";
import { throwIfAborted } from "../abort.ts";
import type { CriterionJudge, JudgedAnswers } from "../judging.ts";
import type { Policy, TextCodec } from "../policy.ts";
import { yesNoPrompt, type Graded } from "./grader-prompt.ts";
import type { JudgeMeter } from "./judge-meter.ts";
import { createVerdictCache, type VerdictCache } from "./verdict-cache.ts";

export interface JudgeModel {
  readonly name: string;
  readonly policy: Pick<Policy, "nextTokens">;
  readonly codec: Pick<TextCodec, "encodePrompt"> & { encodeText(text: string): Int32Array };
  /** Longest prompt plus answer. */
  readonly maxPositions: number;
}

export interface LocalTools {
  /** The model to judge with. @throws PlaygroundError `judge-refused` where there is none, or it cannot judge */
  readonly model: () => Promise<JudgeModel>;
  readonly meter: JudgeMeter;
}

/** [ours] Tokens of one run of the model: what is kept of them meanwhile stays far below what an update takes. */
const MOST_TOKENS = 2048;

export function createLocalJudge(spec: LocalJudgeSpec, tools: LocalTools): CriterionJudge {
  const known = createVerdictCache();
  return {
    judge: async (groups, signal) => {
      const model = await tools.model();
      const judged: CheckedJudgement[][][] = [];
      for (const group of groups) judged.push(await groupOf({ spec, tools, model, known }, group, signal));
      return judged;
    },
  };
}

interface Judging {
  readonly spec: LocalJudgeSpec;
  readonly tools: LocalTools;
  readonly model: JudgeModel;
  readonly known: VerdictCache;
}

/** [C][G] */
async function groupOf(
  { spec, tools, model, known }: Judging,
  { criteria, answers, prompt }: JudgedAnswers,
  signal: AbortSignal | undefined,
): Promise<CheckedJudgement[][]> {
  const found = new Map<string, CheckedJudgement>();
  const placeOf = (answer: string, criterion: string): string => JSON.stringify([answer, criterion]);
  const asked = JSON.stringify([model.name, prompt.messages ?? prompt.text]);
  const open: Question[] = [];
  for (const answer of new Set(answers.map(({ text }) => text)))
    for (const criterion of new Set(criteria.map(({ text }) => text))) {
      const verdict = known.get(`${asked}\n${answer}`, criterion);
      if (verdict !== null) found.set(placeOf(answer, criterion), { ...verdict, spans: [], failed: false });
      else open.push(questionOf(model, { prompt, answer }, criterion));
    }
  tools.meter.add({ cached: found.size });
  const chances = await chancesOn(model, open, signal);
  open.forEach(({ answer, criterion }, i) => {
    const judgement = verdictOf(spec, tools.meter, chances[i]);
    found.set(placeOf(answer, criterion), judgement);
    const { verdict, reason, pYes } = judgement;
    if (verdict !== null && pYes !== undefined)
      known.put(`${asked}\n${answer}`, criterion, { verdict, reason, pYes });
  });
  return criteria.map(({ text: criterion }) =>
    answers.map(({ text }) => found.get(placeOf(text, criterion)) as CheckedJudgement),
  );
}

/** One criterion on one answer, as the model reads it. */
interface Question {
  readonly answer: string;
  readonly criterion: string;
  readonly tokens: Int32Array;
}

function questionOf({ codec }: JudgeModel, graded: Graded, criterion: string): Question {
  return { answer: graded.answer, criterion, tokens: codec.encodePrompt(yesNoPrompt(graded, criterion)) };
}

/** Of the next token after the question. */
interface Chances {
  readonly yes: number;
  readonly no: number;
}

/** Chances, or why there are none. */
type Asked = Chances | { readonly missing: string };

/** In the questions' order. @throws PlaygroundError `aborted` between two runs of the model */
async function chancesOn(
  model: JudgeModel,
  questions: readonly Question[],
  signal: AbortSignal | undefined,
): Promise<readonly Asked[]> {
  const asked = new Map<Question, Asked>();
  const fitting = questions.filter((question) => {
    const length = question.tokens.length + 1; // with its answer
    const fits = length <= model.maxPositions;
    if (!fits)
      asked.set(question, { missing: `too long for the judge: ${length} of ${model.maxPositions} tokens` });
    return fits;
  });
  for (const batch of batchesOf(fitting)) {
    throwIfAborted(signal, `judge "${model.name}"`);
    const chances = await nextTokens(model, batch);
    batch.forEach((question, i) => asked.set(question, chances[i] ?? { missing: "none came back" }));
  }
  return questions.map((question) => asked.get(question) ?? { missing: "none came back" });
}

/**
 * Questions that run together, what they begin with alike once: those on one answer, or all, which repeats the answers and
 * shares system prompt and conversation, where that makes fewer tokens.
 */
function batchesOf(questions: readonly Question[]): readonly (readonly Question[])[] {
  const byAnswer = [...new Set(questions.map(({ answer }) => answer))].map((own) =>
    questions.filter(({ answer }) => answer === own),
  );
  const together = sized(questions);
  const apart = byAnswer.flatMap(sized);
  return tokensOf(together) < tokensOf(apart) ? together : apart;
}

/** In their order, each batch as large as may run at once. */
function sized(questions: readonly Question[]): Question[][] {
  const batches: Question[][] = [];
  for (const question of questions) {
    const last = batches.at(-1);
    if (last !== undefined && tokensOf([[...last, question]]) <= MOST_TOKENS) last.push(question);
    else batches.push([question]);
  }
  return batches;
}

/** Tokens that the model runs for such batches. */
function tokensOf(batches: readonly (readonly Question[])[]): number {
  return batches
    .map((batch) => {
      const shared = sharedLength(batch);
      return batch.reduce((sum, { tokens }) => sum + tokens.length - shared, shared);
    })
    .reduce((sum, tokens) => sum + tokens, 0);
}

/** Tokens that all questions begin with; one at least is left to each. */
function sharedLength(questions: readonly Question[]): number {
  const [first] = questions;
  if (first === undefined) return 0;
  const most = Math.min(...questions.map(({ tokens }) => tokens.length - 1));
  let shared = 0;
  while (shared < most && questions.every(({ tokens }) => tokens[shared] === first.tokens[shared])) shared++;
  return shared;
}

/** Chances of both answers after every question, in one run of the model with the shared beginning in it once. */
async function nextTokens(model: JudgeModel, questions: readonly Question[]): Promise<readonly Chances[]> {
  const words = Int32Array.of(wordToken(model, "Yes"), wordToken(model, "No"));
  if (words[0] === words[1]) throw cannotTell(model.name);
  const shared = sharedLength(questions);
  const prompt = questions[0]?.tokens.slice(0, shared) ?? new Int32Array();
  const completions = questions.map(({ tokens }) => tokens.slice(shared));
  const [logProbs = []] = await model.policy.nextTokens([{ prompt, completions }], words);
  const chance = (logProb: number | undefined): number => Math.exp(logProb ?? Number.NaN);
  return logProbs.map(([yes, no]) => ({ yes: chance(yes), no: chance(no) }));
}

/** The first token of a word at the beginning of a reply. */
function wordToken({ codec }: JudgeModel, word: string): number {
  return codec.encodeText(word)[0] ?? -1;
}

function verdictOf(spec: LocalJudgeSpec, meter: JudgeMeter, asked: Asked | undefined): CheckedJudgement {
  if (asked === undefined || "missing" in asked) return noVerdict(meter, asked?.missing ?? "none came back");
  const total = asked.yes + asked.no;
  if (!(total > 0)) return noVerdict(meter, "neither Yes nor No has a probability");
  meter.add({ verdicts: 1 });
  const pYes = asked.yes / total;
  const met = pYes >= spec.threshold;
  const shares = `Yes ${percent(asked.yes)}, No ${percent(asked.no)}`;
  const reason = `the judge says ${met ? "met" : "not met"}: ${shares}, ${percent(pYes)} for Yes against ${percent(spec.threshold)}`;
  return { verdict: met ? 1 : 0, reason, spans: [], failed: false, pYes };
}

function noVerdict(meter: JudgeMeter, why: string): CheckedJudgement {
  const reason = `the judge gave no verdict: ${why}`;
  meter.missing(reason);
  return { verdict: null, reason, spans: [], failed: true };
}

function percent(share: number): string {
  const hundredths = 100 * share;
  if (hundredths < 0.001) return "under 0.001 %";
  return `${hundredths < 10 ? hundredths.toPrecision(2) : hundredths.toFixed(0)} %`;
}

function cannotTell(name: string): PlaygroundError {
  return new PlaygroundError({
    code: "judge-refused",
    where: `judge "${name}"`,
    expected: "a tokenizer that tells Yes from No by their first token",
    got: "the same token for both",
    next: "Choose another model as the judge.",
  });
}
