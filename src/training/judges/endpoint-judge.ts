/** A judge behind an OpenAI-compatible endpoint: questions of a group at once, verdicts remembered, missing with their reason. */
import { PlaygroundError } from "../../base/errors.ts";
import type { CheckedJudgement } from "../../domain/rubric/checks/check.ts";
import type { Criterion } from "../../domain/rubric/schema.ts";
import type { Answer, PromptFacts } from "../../domain/rubric/verdicts.ts";
import type { EndpointJudgeSpec } from "../../domain/run/judge-spec.ts";
import type { CriterionJudge } from "../judging.ts";
import { createEndpointClient, judgeName, type EndpointClient } from "./endpoint-client.ts";
import {
  criterionPrompt,
  CRITERION_SCHEMA,
  PROMPT_VERSION,
  RUBRIC_SCHEMA,
  rubricPrompt,
} from "./grader-prompt.ts";
import { inParallel } from "./in-parallel.ts";
import type { JudgeMeter } from "./judge-meter.ts";
import type { EndpointTools } from "./judge-tools.ts";
import { readCriterionReply, readRubricReply, type ReadVerdict } from "./read-verdicts.ts";
import type { VerdictCache } from "./verdict-cache.ts";

/** A reason is kept with each rollout. */
const LONGEST_REASON = 300;

/** Judges with other words here would give other verdicts: they share no cache. */
function cacheNameOf({ url, model, style, temperature, max_tokens }: EndpointJudgeSpec): string {
  return JSON.stringify([PROMPT_VERSION, url, model, style, temperature, max_tokens]);
}

export function createEndpointJudge(spec: EndpointJudgeSpec, tools: EndpointTools): CriterionJudge {
  const client = createEndpointClient(spec, tools);
  const noting: Noting = { cache: tools.cacheFor(cacheNameOf(spec)), meter: tools.meter };
  return {
    judge: async (criteria, answers, prompt, signal) => {
      const places = { criteria, answers, prompt };
      const found = new Map<string, CheckedJudgement>();
      const open = openQuestions(spec, places, noting, found);
      await inParallel(open, spec.concurrency, async (question) => {
        const verdicts = await verdictsOn(client, question, prompt, signal);
        question.criteria.forEach((criterion, i) => {
          const place = placeOf(criterion, question.answer);
          if (found.has(place)) return; // known before: the list was asked again for others
          const verdict = verdicts[i] ?? { missing: "no verdict came back" };
          found.set(place, noted(noting, question, criterion, verdict));
        });
      });
      const columns = criteria.map((criterion) =>
        answers.map(({ text }) => found.get(placeOf(criterion, text)) as CheckedJudgement),
      );
      if (spec.whenSilent === "pause") refuseSilence(spec, columns);
      return columns;
    },
  };
}

/** Where verdicts are remembered and counted. */
interface Noting {
  readonly cache: VerdictCache;
  readonly meter: JudgeMeter;
}

/** One call: some criteria on one answer. */
interface OpenQuestion {
  readonly answer: string;
  readonly criteria: readonly Criterion[];
  /** Key of the answer and of what it answers, and of what stands beside a criterion in the call. */
  readonly answerKey: string;
  readonly beside: string;
}

const placeOf = ({ id }: Criterion, answer: string): string => `${id}\n${answer}`;

/** What is not remembered; what is goes to `found`. */
function openQuestions(
  { style }: EndpointJudgeSpec,
  places: {
    readonly criteria: readonly Criterion[];
    readonly answers: readonly Answer[];
    readonly prompt: PromptFacts;
  },
  { cache, meter }: Noting,
  found: Map<string, CheckedJudgement>,
): OpenQuestion[] {
  const { criteria, answers, prompt } = places;
  const asked = JSON.stringify(prompt.messages ?? prompt.text);
  const beside = style === "rubric" ? JSON.stringify(criteria.map(({ text }) => text)) : "";
  return [...new Set(answers.map(({ text }) => text))].flatMap((answer) => {
    const answerKey = `${asked}\n${answer}`;
    const open = criteria.filter((criterion) => {
      const known = cache.get(answerKey, beside + criterion.text);
      if (known === null) return true;
      meter.add({ cached: 1 });
      found.set(placeOf(criterion, answer), { ...known, spans: [], failed: false });
      return false;
    });
    if (open.length === 0) return [];
    const question = { answer, answerKey, beside };
    return style === "rubric"
      ? [{ ...question, criteria }]
      : open.map((criterion) => ({ ...question, criteria: [criterion] }));
  });
}

async function verdictsOn(
  client: EndpointClient,
  { criteria, answer }: OpenQuestion,
  prompt: PromptFacts,
  signal: AbortSignal | undefined,
): Promise<readonly ReadVerdict[]> {
  const graded = { prompt, answer };
  const texts = criteria.map(({ text }) => text);
  const [first = ""] = texts;
  const alone = texts.length === 1;
  const question = alone
    ? { messages: criterionPrompt(graded, first), schema: CRITERION_SCHEMA }
    : { messages: rubricPrompt(graded, texts), schema: RUBRIC_SCHEMA };
  const reply = await client.ask(question, signal);
  if ("missing" in reply) return criteria.map(() => reply);
  return alone ? [readCriterionReply(reply.text)] : readRubricReply(reply.text, criteria.length);
}

/** The verdict as it counts; one that was given is remembered. */
function noted(
  { cache, meter }: Noting,
  { answerKey, beside }: OpenQuestion,
  criterion: Criterion,
  verdict: ReadVerdict,
): CheckedJudgement {
  if ("missing" in verdict) {
    const reason = `the judge gave no verdict: ${verdict.missing}`.slice(0, LONGEST_REASON);
    meter.missing(reason);
    return { verdict: null, reason, spans: [], failed: true };
  }
  meter.add({ verdicts: 1 });
  const said = verdict.explanation === "" ? "" : `: ${verdict.explanation}`;
  const reason = `the judge says ${verdict.met ? "met" : "not met"}${said}`.slice(0, LONGEST_REASON);
  const given = { verdict: verdict.met ? 1 : 0, reason };
  cache.put(answerKey, beside + criterion.text, given);
  return { ...given, spans: [], failed: false };
}

/** @throws PlaygroundError `judge-silent` where not one verdict could be had */
function refuseSilence(spec: EndpointJudgeSpec, columns: readonly (readonly CheckedJudgement[])[]): void {
  const judgements = columns.flat();
  const [first] = judgements;
  if (first === undefined || judgements.some(({ verdict }) => verdict !== null)) return;
  throw new PlaygroundError({
    code: "judge-silent",
    where: judgeName(spec),
    expected: `a verdict on some of ${judgements.length}`,
    got: first.reason,
    next: "Look at its address, key and model, and go on; or let the run go on without verdicts (whenSilent).",
  });
}
