/** A judge behind an OpenAI-compatible endpoint: questions on all groups of a step at once, verdicts remembered, missing with their reason. */
import type { CheckedJudgement } from "../../domain/rubric/checks/check.ts";
import type { Criterion } from "../../domain/rubric/schema.ts";
import type { EndpointJudgeSpec } from "../../domain/run/judge-spec.ts";
import type { CriterionJudge, JudgedAnswers } from "../judging.ts";
import { createEndpointClient, judgeSilent, type EndpointClient } from "./endpoint-client.ts";
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
  let opened: Promise<VerdictCache> | null = null;
  return {
    judge: async (groups, signal) => {
      const cache = await (opened ??= tools.cacheFor(cacheNameOf(spec)));
      const noting: Noting = { cache, meter: tools.meter };
      const asked = groups.map((group) => openGroup(spec, group, noting));
      const calls = asked.flatMap((group) => group.open.map((question) => ({ group, question })));
      await inParallel(calls, spec.concurrency, async ({ group, question }) => {
        const verdicts = await verdictsOn(client, question, group.prompt, signal);
        question.criteria.forEach((criterion, i) => {
          const place = placeOf(criterion, question.answer);
          if (group.found.has(place)) return; // known before: the list was asked again for others
          const verdict = verdicts[i] ?? { missing: "no verdict came back" };
          group.found.set(place, noted(noting, question, criterion, verdict));
        });
        // told as soon as a group is through: no call is made for the others of a judge that says nothing
        if (--group.left === 0 && spec.whenSilent === "pause") refuseSilence(spec, group.found);
      });
      return asked.map(({ criteria, answers, found }) =>
        criteria.map((criterion) =>
          answers.map(({ text }) => found.get(placeOf(criterion, text)) as CheckedJudgement),
        ),
      );
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

/** A group while it is judged. */
interface OpenGroup extends JudgedAnswers {
  readonly open: readonly OpenQuestion[];
  /** Verdicts by `placeOf`. */
  readonly found: Map<string, CheckedJudgement>;
  /** Questions without a reply so far. */
  left: number;
}

const placeOf = ({ id }: Criterion, answer: string): string => `${id}\n${answer}`;

/** What is not remembered is to be asked; what is goes to `found`. */
function openGroup({ style }: EndpointJudgeSpec, group: JudgedAnswers, { cache, meter }: Noting): OpenGroup {
  const { criteria, answers, prompt } = group;
  const found = new Map<string, CheckedJudgement>();
  const asked = JSON.stringify(prompt.messages ?? prompt.text);
  const beside = style === "rubric" ? JSON.stringify(criteria.map(({ text }) => text)) : "";
  const open = [...new Set(answers.map(({ text }) => text))].flatMap((answer) => {
    const answerKey = `${asked}\n${answer}`;
    const unknown = criteria.filter((criterion) => {
      const known = cache.get(answerKey, beside + criterion.text);
      if (known === null) return true;
      meter.add({ cached: 1 });
      found.set(placeOf(criterion, answer), { ...known, spans: [], failed: false });
      return false;
    });
    if (unknown.length === 0) return [];
    const question = { answer, answerKey, beside };
    return style === "rubric"
      ? [{ ...question, criteria }]
      : unknown.map((criterion) => ({ ...question, criteria: [criterion] }));
  });
  return { ...group, found, open, left: open.length };
}

async function verdictsOn(
  client: EndpointClient,
  { criteria, answer }: OpenQuestion,
  prompt: JudgedAnswers["prompt"],
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

/** @throws PlaygroundError `judge-silent` where a group got not one verdict */
function refuseSilence(spec: EndpointJudgeSpec, found: ReadonlyMap<string, CheckedJudgement>): void {
  const judgements = [...found.values()];
  const [first] = judgements;
  if (first === undefined || judgements.some(({ verdict }) => verdict !== null)) return;
  throw judgeSilent(spec, `a verdict on some of ${judgements.length}`, first.reason);
}
