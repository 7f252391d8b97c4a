/**
 * Asks an endpoint until it answers: tries again with back-off and seeded jitter where it is busy, waits as long as it asks to,
 * speaks the dialect it understands (structured output by schema, else any JSON, else prose), and keeps to the budget.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { createRng } from "../../base/rng.ts";
import type { EndpointJudgeSpec } from "../../domain/run/judge-spec.ts";
import { throwIfAborted } from "../abort.ts";
import { callChat, type CallOutcome, type ChatCall } from "./chat-call.ts";
import type { GraderMessage } from "./grader-prompt.ts";
import type { EndpointTools } from "./judge-tools.ts";

/** [ours] First wait between two tries; it doubles with each. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** An endpoint that asks to wait longer than this is not waited for. */
const LONGEST_RETRY_AFTER_S = 120;
/** [ours] A judge is silent after so many calls in a row without a reply, or twice as many as go out at once if that is more. */
const SILENT_CALLS = 8;
/** Taken for one token where the endpoint does not count. */
const CHARACTERS_PER_TOKEN = 4;

interface Question {
  readonly messages: readonly GraderMessage[];
  /** JSON Schema of the reply. */
  readonly schema: object;
}

type EndpointAnswer = { readonly text: string } | { readonly missing: string };

export interface EndpointClient {
  /**
   * @throws PlaygroundError `aborted`; `judge-spent` where the budget is used up, or `judge-silent` where nothing answers call
   * after call, and the run is to pause then.
   */
  ask(question: Question, signal: AbortSignal | undefined): Promise<EndpointAnswer>;
}

/** How an endpoint wants to be asked, as far as it is known. */
interface Dialect {
  readonly form: (typeof FORMS)[number];
  /** Its own name of the bound on the reply, and whether it takes a temperature. */
  readonly modern: boolean;
  readonly temperature: boolean;
}
const FORMS = ["json_schema", "json_object", "text"] as const;

/** Statuses by which endpoints refuse a field that they do not know. */
const REFUSES_FIELDS: ReadonlySet<number | null> = new Set([400, 415, 422, 501]);

export function createEndpointClient(spec: EndpointJudgeSpec, tools: EndpointTools): EndpointClient {
  const jitter = createRng(tools.seed, "judge-retries", spec.url, spec.model);
  let dialect: Dialect = { form: "json_schema", modern: false, temperature: true };
  const where = judgeName(spec);
  const mostSilent = Math.max(SILENT_CALLS, 2 * spec.concurrency);
  let silentCalls = 0;

  const askOnce = async (question: Question, how: Dialect, signal: AbortSignal | undefined) => {
    const { meter } = tools;
    meter.add({ calls: 1, inFlight: 1 });
    const key = tools.keyFor(spec.url);
    const { wallClock } = tools;
    const outcome = await callChat(tools.fetch, { ...callOf(spec, question, how), key, signal, wallClock });
    meter.add({ inFlight: -1, ...tokensOf(outcome, question) });
    if (outcome.kind === "reply" && outcome.promptTokens === null) meter.guessed();
    return outcome;
  };

  /** Waits before the next try; why it is not waited for, or null. */
  const waitFor = async (
    tries: number,
    retryAfterS: number | null,
    signal: AbortSignal | undefined,
  ): Promise<string | null> => {
    if (retryAfterS !== null && retryAfterS > LONGEST_RETRY_AFTER_S)
      return `it asks to wait ${retryAfterS} s`;
    const backOff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
    const least = retryAfterS === null ? backOff / 2 : retryAfterS * 1000;
    await tools.sleep(least + jitter.next() * (backOff / 2), signal);
    return null;
  };

  const ask = async (question: Question, signal: AbortSignal | undefined): Promise<EndpointAnswer> => {
    let how = dialect;
    for (let tries = 0; ;) {
      throwIfAborted(signal, where);
      const spent = tools.meter.spent(tools.budget());
      if (spent !== null) return outOfBudget(spec, spent);
      const outcome = await askOnce(question, how, signal);
      throwIfAborted(signal, where);
      silentCalls = outcome.kind === "reply" ? 0 : silentCalls + 1;
      tools.meter.unanswered(silentCalls, outcome.kind === "reply" ? "" : outcome.reason);
      if (outcome.kind === "reply") {
        dialect = how;
        return replied(spec, outcome);
      }
      const other = outcome.kind === "refused" ? otherDialect(how, outcome) : null;
      if (other !== null) {
        how = other;
        continue;
      }
      if (silentCalls >= mostSilent) return fallenSilent(spec, outcome.reason, silentCalls);
      if (outcome.kind === "refused") return { missing: outcome.reason };
      if (tries === spec.retries) return { missing: afterTries(outcome.reason, tries + 1) };
      const givenUp = await waitFor(tries, outcome.retryAfterS, signal);
      if (givenUp !== null) return { missing: `${outcome.reason}; ${givenUp}` };
      tries++;
      tools.meter.add({ retries: 1 });
    }
  };
  return { ask };
}

/** As faults name it. */
function judgeName({ model, url }: Pick<EndpointJudgeSpec, "model" | "url">): string {
  return `judge "${model}" at ${url}`;
}

function callOf(
  spec: EndpointJudgeSpec,
  { messages, schema }: Question,
  how: Dialect,
): Omit<ChatCall, "key" | "signal" | "wallClock"> {
  const schemaForm = { type: "json_schema", json_schema: { name: "verdict", strict: true, schema } };
  const formats = { json_schema: schemaForm, json_object: { type: "json_object" }, text: null };
  return {
    url: spec.url,
    model: spec.model,
    messages,
    temperature: how.temperature ? spec.temperature : null,
    maxTokens: { name: how.modern ? "max_completion_tokens" : "max_tokens", value: spec.max_tokens },
    responseFormat: formats[how.form],
    timeoutMs: spec.timeoutS * 1000,
  };
}

/** The next way to ask an endpoint that refused a field; null where it refused something else. */
function otherDialect(
  how: Dialect,
  { status, reason }: { status: number | null; reason: string },
): Dialect | null {
  if (!REFUSES_FIELDS.has(status)) return null;
  if (!how.modern && reason.includes("max_completion_tokens")) return { ...how, modern: true };
  if (how.temperature && /temperature/i.test(reason)) return { ...how, temperature: false };
  const form = FORMS[FORMS.indexOf(how.form) + 1];
  return form === undefined ? null : { ...how, form };
}

function tokensOf(
  outcome: CallOutcome,
  { messages }: Question,
): { promptTokens: number; completionTokens: number } {
  if (outcome.kind !== "reply") return { promptTokens: 0, completionTokens: 0 };
  const asked = messages.reduce((sum, { content }) => sum + content.length, 0);
  const guess = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return {
    promptTokens: outcome.promptTokens ?? guess(asked),
    completionTokens: outcome.completionTokens ?? guess(outcome.text.length),
  };
}

function afterTries(reason: string, tries: number): string {
  return tries === 1 ? reason : `${reason} (${tries} tries)`;
}

function replied(
  { max_tokens }: EndpointJudgeSpec,
  { text, cut }: Extract<CallOutcome, { readonly kind: "reply" }>,
): EndpointAnswer {
  return cut ? { missing: `the reply was cut at ${max_tokens} tokens` } : { text };
}

function fallenSilent(spec: EndpointJudgeSpec, reason: string, calls: number): EndpointAnswer {
  const got = `${reason}; ${calls} calls in a row`;
  if (spec.whenSilent === "missing") return { missing: got };
  throw judgeSilent(spec, "a reply to some of its calls", got);
}

/** What a run waits with until its judge speaks again. */
export function judgeSilent(spec: EndpointJudgeSpec, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "judge-silent",
    where: judgeName(spec),
    expected,
    got,
    next: "Look at its address, key and model, and go on; or let the run go on without verdicts (whenSilent).",
  });
}

function outOfBudget(spec: EndpointJudgeSpec, spent: string): EndpointAnswer {
  if (spec.whenSpent === "missing") return { missing: `the judge's budget is used up: ${spent}` };
  throw new PlaygroundError({
    code: "judge-spent",
    where: judgeName(spec),
    expected: "calls and tokens left in its budget",
    got: spent,
    next: "Raise the budget and go on: the run stands at its last finished step, and verdicts so far are remembered.",
  });
}
