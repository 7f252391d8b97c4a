/**
 * A language model of this machine as the judge: the frozen base (adapter off, so it takes no memory of its own) or a second
 * model. A criterion is met where the next token after the question is rather Yes than No. All criteria on an answer are asked in
 * one batch, and what their prompts begin with alike, conversation and answer, runs through the model once.
 */
import { PlaygroundError } from "../../base/errors.ts";
import type { CheckedJudgement } from "../../domain/rubric/checks/check.ts";
import type { Criterion } from "../../domain/rubric/schema.ts";
import type { PromptFacts } from "../../domain/rubric/verdicts.ts";
import type { LocalJudgeSpec } from "../../domain/run/judge-spec.ts";
import { throwIfAborted } from "../abort.ts";
import type { CriterionJudge, JudgedAnswers } from "../judging.ts";
import type { Policy, TextCodec } from "../policy.ts";
import { yesNoPrompt } from "./grader-prompt.ts";
import type { JudgeMeter } from "./judge-meter.ts";
import { createVerdictCache, type VerdictCache } from "./verdict-cache.ts";

export interface JudgeModel {
  readonly name: string;
  readonly policy: Pick<Policy, "logProbs">;
  readonly codec: Pick<TextCodec, "encodePrompt"> & { encodeText(text: string): Int32Array };
  /** Longest prompt plus answer. */
  readonly maxPositions: number;
  readonly vocabSize: number;
}

export interface LocalTools {
  /** The model to judge with. @throws PlaygroundError `judge-refused` where there is none, or it cannot judge */
  readonly model: () => Promise<JudgeModel>;
  readonly meter: JudgeMeter;
}

/** Logits of one batch, rows times vocabulary: float32 numbers that memory always has room for. */
const MOST_LOGITS = 64e6;

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
  const placeOf = ({ text }: Criterion, answer: string): string => JSON.stringify([answer, text]);
  const asked = JSON.stringify([model.name, prompt.messages ?? prompt.text]);
  for (const answer of new Set(answers.map(({ text }) => text))) {
    throwIfAborted(signal, `judge "${model.name}"`);
    const answerKey = `${asked}\n${answer}`;
    const open = criteria.filter((criterion) => {
      const verdict = known.get(answerKey, criterion.text);
      if (verdict === null) return true;
      found.set(placeOf(criterion, answer), { ...verdict, spans: [], failed: false });
      return false;
    });
    tools.meter.add({ cached: criteria.length - open.length });
    const chances = await chancesOn(model, open, { prompt, answer });
    open.forEach((criterion, i) => {
      const judgement = verdictOf(spec, tools.meter, chances[i]);
      found.set(placeOf(criterion, answer), judgement);
      const { verdict, reason, pYes } = judgement;
      if (verdict !== null && pYes !== undefined)
        known.put(answerKey, criterion.text, { verdict, reason, pYes });
    });
  }
  return criteria.map((criterion) =>
    answers.map(({ text }) => found.get(placeOf(criterion, text)) as CheckedJudgement),
  );
}

/** Of the next token after the question. */
interface Chances {
  readonly yes: number;
  readonly no: number;
}

/** Chances, or why there are none. */
type Asked = Chances | { readonly missing: string };

interface Graded {
  readonly prompt: PromptFacts;
  readonly answer: string;
}

/** [C] for one answer. */
async function chancesOn(
  model: JudgeModel,
  criteria: readonly Criterion[],
  graded: Graded,
): Promise<readonly Asked[]> {
  const questions = criteria.map(({ text }) => model.codec.encodePrompt(yesNoPrompt(graded, text)));
  const longest = Math.max(0, ...questions.map(({ length }) => length)) + 1;
  if (longest > model.maxPositions) {
    const missing = `too long for the judge: ${longest} of ${model.maxPositions} tokens`;
    return criteria.map(() => ({ missing }));
  }
  const asked: Asked[] = [];
  for (const batch of batchesOf(questions, model.vocabSize)) asked.push(...(await nextTokens(model, batch)));
  return asked;
}

/** As many questions at once as there is room for, in their order. */
function batchesOf(questions: readonly Int32Array[], vocabSize: number): readonly (readonly Int32Array[])[] {
  const shared = sharedLength(questions);
  const most = MOST_LOGITS / vocabSize;
  const batches: Int32Array[][] = [];
  let rows = Infinity;
  for (const question of questions) {
    const more = 2 * (question.length - shared + 1);
    if (rows + more > most) {
      batches.push([]);
      rows = 0;
    }
    batches.at(-1)?.push(question);
    rows += more;
  }
  return batches;
}

/** Tokens that all questions begin with; one at least is left to each. */
function sharedLength(questions: readonly Int32Array[]): number {
  const [first] = questions;
  if (first === undefined) return 0;
  const most = Math.min(...questions.map(({ length }) => length - 1));
  let shared = 0;
  while (shared < most && questions.every((question) => question[shared] === first[shared])) shared++;
  return shared;
}

/** Log-probabilities of both answers after every question, from one batch with the shared beginning in it once. */
async function nextTokens(model: JudgeModel, questions: readonly Int32Array[]): Promise<readonly Chances[]> {
  const words = [wordToken(model, "Yes"), wordToken(model, "No")] as const;
  if (words[0] === words[1]) throw cannotTell(model.name);
  const shared = sharedLength(questions);
  const completions = questions.flatMap((question) =>
    words.map((word) => Int32Array.from([...question.subarray(shared), word])),
  );
  const [prompt = new Int32Array()] = questions;
  const group = { prompt: prompt.slice(0, shared), completions };
  const [logProbs = []] = await model.policy.logProbs([group], null, 1);
  const chance = (at: number): number => Math.exp(logProbs[at]?.at(-1) ?? Number.NaN);
  return questions.map((_, i) => ({ yes: chance(2 * i), no: chance(2 * i + 1) }));
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

const percent = (share: number): string => `${(100 * share).toPrecision(2)} %`;

function cannotTell(name: string): PlaygroundError {
  return new PlaygroundError({
    code: "judge-refused",
    where: `judge "${name}"`,
    expected: "a tokenizer that tells Yes from No by their first token",
    got: "the same token for both",
    next: "Choose another model as the judge.",
  });
}
