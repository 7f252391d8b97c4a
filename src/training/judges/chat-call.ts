/**
 * One call of an OpenAI-compatible `chat/completions`, and what came of it. Never throws for what an endpoint does; the key
 * goes into the Authorization header and nowhere else.
 */
import { retryAfterS } from "../../base/retry-after.ts";
import type { GraderMessage } from "./grader-prompt.ts";

/** Bytes of a reply's body; a judge's few words are far below it. */
const MOST_BYTES = 262_144;
const SHOWN = 200;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ChatCall {
  /** Address of the API, up to and without `/chat/completions`. */
  readonly url: string;
  /** null = none is sent. */
  readonly key: string | null;
  readonly model: string;
  readonly messages: readonly GraderMessage[];
  /** null = the endpoint's own. */
  readonly temperature: number | null;
  /** Bound on the reply, by the name that the endpoint gives it. */
  readonly maxTokens: { readonly name: "max_tokens" | "max_completion_tokens"; readonly value: number };
  /** null = plain text. */
  readonly responseFormat: Readonly<Record<string, unknown>> | null;
  readonly timeoutMs: number;
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly wallClock?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type CallOutcome =
  | {
      readonly kind: "reply";
      readonly text: string;
      /** True where it was cut at its bound. */
      readonly cut: boolean;
      /** null where the endpoint does not count. */
      readonly promptTokens: number | null;
      readonly completionTokens: number | null;
    }
  /** Worth another try, by the endpoint's own wish after so many seconds. */
  | { readonly kind: "busy"; readonly reason: string; readonly retryAfterS: number | null }
  /** Refused or unusable; another try would end the same way. `status` null: not by HTTP. */
  | { readonly kind: "refused"; readonly reason: string; readonly status: number | null };

/** Asks once. An abort by the caller's signal comes back as `busy`; the caller knows its signal. */
export async function callChat(fetchFrom: Fetch, call: ChatCall): Promise<CallOutcome> {
  if (call.key !== null && !IN_A_HEADER.test(call.key))
    return refused("the key holds a character that no key has: copy it anew", null);
  const limit = AbortSignal.timeout(call.timeoutMs);
  const signal = call.signal === undefined ? limit : AbortSignal.any([limit, call.signal]);
  try {
    const response = await fetchFrom(`${call.url.replace(/\/+$/, "")}/chat/completions`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(call.key === null ? {} : { Authorization: `Bearer ${call.key}` }),
      },
      body: JSON.stringify(bodyOf(call)),
      // the key and the texts go to the named address and to no other
      redirect: "manual",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      signal,
    });
    if (leadsOn(response)) {
      await response.body?.cancel();
      return refused(
        "it leads on to another address, to which neither key nor texts are sent: name that one",
        null,
      );
    }
    const text = await readAtMost(response, MOST_BYTES);
    if (text === null) return refused(`a reply of more than ${MOST_BYTES / 1024} kB`, null);
    return response.ok ? replyOf(text) : failureOf(response, withoutKey(text, call.key), call.wallClock);
  } catch {
    if (limit.aborted) return busy(`no reply within ${call.timeoutMs / 1000} s`);
    return busy(
      `no connection to ${call.url}: nothing answers there, or it does not let this page ask (CORS)`,
    );
  }
}

/** What a header's value may hold. */
const IN_A_HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A browser hides where to, Node does not. */
function leadsOn({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

function bodyOf({ model, messages, temperature, maxTokens, responseFormat }: ChatCall): object {
  return {
    model,
    messages,
    ...(temperature === null ? {} : { temperature }),
    [maxTokens.name]: maxTokens.value,
    stream: false,
    ...(responseFormat === null ? {} : { response_format: responseFormat }),
  };
}

/** The body as text; null, and the connection closed, where it is longer. */
async function readAtMost(response: Response, bytes: number): Promise<string | null> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let read = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    read += value.length;
    if (read > bytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function replyOf(body: string): CallOutcome {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return busy("a reply that breaks off, or is not JSON"); // a connection that was cut may do better
  }
  const choice = (value as Completion | null)?.choices?.[0];
  const text = textOf(choice?.message?.content);
  if (text === null) return refused("a reply without choices[0].message.content", null);
  const { usage } = value as Completion;
  return {
    kind: "reply",
    text,
    cut: choice?.finish_reason === "length",
    promptTokens: countOf(usage?.prompt_tokens),
    completionTokens: countOf(usage?.completion_tokens),
  };
}

/** What is read of a completion; anything may be missing or of another type. */
interface Completion {
  readonly choices?: readonly {
    readonly message?: { readonly content?: unknown };
    readonly finish_reason?: unknown;
  }[];
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown };
}

/** Some servers answer in parts. */
function textOf(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  return content.map((part: { readonly text?: unknown } | null) => textOf(part?.text) ?? "").join("");
}

const countOf = (count: unknown): number | null =>
  typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : null;

/** Statuses after which the same call may work. */
const BUSY: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

function failureOf(response: Response, body: string, wallClock: ChatCall["wallClock"]): CallOutcome {
  const { status } = response;
  const said = messageOf(body);
  const reason = `HTTP ${status}${said === "" ? "" : `: ${said}`}`;
  if (!BUSY.has(status)) return refused(reason, status);
  return busy(reason, retryAfterS(response.headers, wallClock));
}

/** The error's own words: `{"error": {"message"}}`, `{"error": "..."}`, or the first of whatever came. */
function messageOf(body: string): string {
  let said = body;
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    const message = (error as { readonly message?: unknown } | null | undefined)?.message ?? error;
    if (typeof message === "string") said = message;
  } catch {
    // not JSON: its own words
  }
  return said.replace(/\s+/g, " ").trim().slice(0, SHOWN);
}

/** Some endpoints repeat the key in their refusal; it must not get into a reason, which is kept and exported. */
function withoutKey(text: string, key: string | null): string {
  return key === null || key === "" ? text : text.replaceAll(key, "(the key)");
}

function busy(reason: string, retryAfterS: number | null = null): CallOutcome {
  return { kind: "busy", reason, retryAfterS };
}

function refused(reason: string, status: number | null): CallOutcome {
  return { kind: "refused", reason, status };
}
