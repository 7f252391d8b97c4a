/** The endpoint judge against a local server that behaves and misbehaves as real ones do. Waits are counted, not slept. */
import { afterEach, describe, expect, test } from "vitest";
import type { Criterion } from "../../domain/rubric/schema.ts";
import { criterionSchema } from "../../domain/rubric/schema.ts";
import { endpointJudgeSchema } from "../../domain/run/judge-spec.ts";
import type { JudgeBudget } from "../../domain/run/judge-usage.ts";
import { judgeOne } from "../../testing/judge-one.ts";
import {
  startJudgeServer,
  type JudgeServer,
  type JudgeServerOptions,
  type Misbehaviour,
} from "../../testing/judge-server.ts";
import { createEndpointJudge } from "./endpoint-judge.ts";
import { createJudgeMeter } from "./judge-meter.ts";
import { createVerdictCache } from "./verdict-cache.ts";

const KEY = "sk-secret-1234567890";
const criteria: readonly Criterion[] = ["names the order", "offers a refund", "is rude"].map((text, i) =>
  criterionSchema.parse({ id: `c${String(i)}`, text, category: "all", weight: 1 }),
);
const prompt = {
  id: "p",
  text: "Where is my order?",
  messages: [
    { role: "system", content: "You are a shop." },
    { role: "user", content: "Where is my order?" },
  ],
  fields: {},
};
const answers = ["we refund order 7", "no", "we refund order 7"].map((text) => ({ text, ended: true }));
const refund = (criterion: string, answer: string): boolean =>
  criterion !== "is rude" && answer.includes("refund");

let server: JudgeServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

interface Options extends JudgeServerOptions {
  readonly spec?: object;
  readonly budget?: JudgeBudget;
}

async function judgeAt({ spec = {}, budget, ...options }: Options) {
  server = await startJudgeServer({ met: refund, ...options });
  const meter = createJudgeMeter();
  const waits: number[] = [];
  const cache = createVerdictCache();
  const full = endpointJudgeSchema.parse({
    kind: "endpoint",
    url: server.url,
    model: "m",
    timeoutS: 1,
    retries: 2,
    whenSilent: "missing",
    ...spec,
  });
  const tools = {
    fetch,
    sleep: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
    wallClock: () => Date.UTC(2026, 0, 1),
    keyFor: () => KEY,
    budget: () => budget ?? full,
    meter,
    cacheFor: () => Promise.resolve(cache),
    seed: 1,
  };
  return { judge: createEndpointJudge(full, tools), meter, waits, calls: server.calls, server };
}

type Judged = readonly (readonly { readonly verdict: number | null; readonly reason: string }[])[];
const verdicts = (judged: Judged): (number | null)[][] => judged.map((row) => row.map((j) => j.verdict));
const says = (text: string): Misbehaviour => ({ kind: "says", text });

const EXPECTED = [
  [1, 0, 1],
  [1, 0, 1],
  [0, 0, 0],
];

describe("an endpoint that behaves", () => {
  test("one call a criterion: every verdict, equal answers asked once, then nothing is asked again", async () => {
    const { judge, meter, calls } = await judgeAt({});
    expect(verdicts(await judgeOne(judge, criteria, answers, prompt))).toEqual(EXPECTED);
    expect(calls.length).toBe(6); // two different answers x three criteria
    expect(calls[0]?.path).toBe("/v1/chat/completions");
    expect(calls[0]?.authorization).toBe(`Bearer ${KEY}`);
    expect(calls[0]?.body.response_format?.type).toBe("json_schema");
    expect(calls[0]?.body["temperature"]).toBe(0);
    expect(meter.usage).toMatchObject({
      calls: 6,
      verdicts: 6,
      promptTokens: 600,
      completionTokens: 60,
      inFlight: 0,
    });
    expect(verdicts(await judgeOne(judge, criteria, answers, prompt))).toEqual(EXPECTED);
    expect(meter.usage).toMatchObject({ calls: 6, cached: 6 });
  });

  test("one call with the list of criteria", async () => {
    const { judge, calls } = await judgeAt({ spec: { style: "rubric" } });
    expect(verdicts(await judgeOne(judge, criteria, answers, prompt))).toEqual(EXPECTED);
    expect(calls.map(({ criteria: asked }) => asked.length)).toEqual([3, 3]);
    await judgeOne(judge, criteria, answers, prompt);
    expect(calls.length).toBe(2);
    // another list is another question
    await judgeOne(judge, criteria.slice(0, 2), answers, prompt);
    expect(calls.length).toBe(4);
  });

  test("the whole conversation is asked about, and another conversation is another question", async () => {
    const { judge, calls } = await judgeAt({});
    await judgeOne(judge, criteria.slice(0, 1), answers.slice(0, 1), prompt);
    expect(calls[0]?.body.messages.at(-1)?.content).toContain(
      '{"role": "system", "content": "You are a shop."}',
    );
    await judgeOne(judge, criteria.slice(0, 1), answers.slice(0, 1), {
      ...prompt,
      messages: [{ role: "user", content: "?" }],
    });
    expect(calls.length).toBe(2);
  });

  test("no more calls at once than the concurrency", async () => {
    const many = Array.from({ length: 12 }, (_, i) => ({ text: `answer ${String(i)}`, ended: true }));
    const { judge, server: own } = await judgeAt({ spec: { concurrency: 3 }, delayMs: 20 });
    await judgeOne(judge, criteria, many, prompt);
    expect(own.mostOpen()).toBe(3);
  });

  test("tokens are guessed, and said to be, where the endpoint does not count", async () => {
    const { judge, meter } = await judgeAt({ countless: true });
    await judgeOne(judge, criteria.slice(0, 1), answers.slice(0, 1), prompt);
    expect(meter.usage.estimated).toBe(true);
    expect(meter.usage.promptTokens).toBeGreaterThan(100);
  });
});

describe("several groups at once", () => {
  const groups = Array.from({ length: 4 }, (_, p) => ({
    criteria: criteria.slice(0, 2),
    answers: [{ text: `we refund ${String(p)}`, ended: true }],
    prompt: {
      ...prompt,
      id: `p${String(p)}`,
      messages: [{ role: "user", content: `Question ${String(p)}` }],
    },
  }));

  test("calls of all groups go out together, up to the concurrency, and each verdict comes to its place", async () => {
    const {
      judge,
      server: own,
      calls,
    } = await judgeAt({
      spec: { concurrency: 6 },
      delayMs: 30,
      met: (criterion, answer) => criterion === "offers a refund" && answer !== "we refund 2",
    });
    const judged = await judge.judge(groups);
    expect(judged.map(verdicts)).toEqual([
      [[0], [1]],
      [[0], [1]],
      [[0], [0]],
      [[0], [1]],
    ]);
    expect(calls.length).toBe(8);
    expect(own.mostOpen()).toBe(6); // one group has two questions
  });

  test("a group without a verdict pauses the run before the later ones are paid for", async () => {
    const { judge, calls } = await judgeAt({
      spec: { concurrency: 2, whenSilent: "pause" },
      misbehave: ({ answer }) => (answer === "we refund 0" ? says("no") : null),
    });
    await expect(judge.judge(groups)).rejects.toMatchObject({ code: "judge-silent" });
    expect(calls.length).toBeLessThan(5);
  });
});

describe("an endpoint that falls silent", () => {
  const many = Array.from({ length: 30 }, (_, i) => ({ text: `answer ${String(i)}`, ended: true }));
  const dead = { misbehave: () => ({ kind: "status", status: 503 }) as const };

  test("is not asked on and on: the run waits after a few calls in a row, and goes on when it speaks", async () => {
    let silent = true;
    const { judge, calls } = await judgeAt({
      spec: { concurrency: 2, retries: 4, whenSilent: "pause" },
      misbehave: () => (silent ? { kind: "status", status: 503 } : null),
    });
    const asked = judgeOne(judge, criteria, many, prompt);
    await expect(asked).rejects.toMatchObject({
      code: "judge-silent",
      message: expect.stringMatching(/HTTP 503; \d+ calls in a row/) as string,
    });
    expect(calls.length).toBeLessThan(12); // 8 in a row, and those that were open
    silent = false;
    const judged = await judgeOne(judge, criteria, many, prompt);
    expect(judged.flat().every(({ verdict }) => verdict !== null)).toBe(true);
  });

  test("a run that is to go on asks each question once and tries none again", async () => {
    const { judge, calls, meter } = await judgeAt({ ...dead, spec: { concurrency: 1, retries: 4 } });
    await judgeOne(judge, criteria, many, prompt);
    expect(meter.usage.missing).toBe(90);
    expect(calls.length).toBeLessThan(90 + 8);
  });

  test("one reply in between, and it is not silent", async () => {
    const { judge } = await judgeAt({
      spec: { concurrency: 1, retries: 8, whenSilent: "pause" },
      misbehave: (_, at) => (at % 6 === 0 ? null : { kind: "status", status: 503 }),
    });
    const judged = await judgeOne(judge, criteria, many.slice(0, 4), prompt);
    expect(judged.flat().every(({ verdict }) => verdict !== null)).toBe(true);
  });
});

describe("an endpoint that is busy", () => {
  const firstTwo =
    (how: Misbehaviour) =>
    (_: unknown, at: number): Misbehaviour | null =>
      at < 2 ? how : null;
  const one = { spec: { concurrency: 1 } };
  const ask = async (options: Options) => {
    const made = await judgeAt({ ...one, ...options });
    return { ...made, judged: await judgeOne(made.judge, criteria.slice(0, 1), answers.slice(0, 1), prompt) };
  };

  test.each<[string, Misbehaviour]>([
    ["429", { kind: "status", status: 429 }],
    ["500", { kind: "status", status: 500, body: "oops" }],
    ["503", { kind: "status", status: 503 }],
    ["half a body", { kind: "half" }],
    ["a dropped connection", { kind: "drop" }],
    ["JSON that breaks off", { kind: "body", body: '{"choices": [{"mess' }],
  ])("%s is tried again, with waits that double", async (_, how) => {
    const { judged, waits, meter } = await ask({ misbehave: firstTwo(how) });
    expect(verdicts(judged)).toEqual([[1]]);
    expect(meter.usage).toMatchObject({ calls: 3, retries: 2, missing: 0 });
    expect(waits[0]).toBeGreaterThanOrEqual(250);
    expect(waits[0]).toBeLessThan(500);
    expect(waits[1]).toBeGreaterThanOrEqual(500);
    expect(waits[1]).toBeLessThan(1000);
  });

  test("the jitter is seeded", async () => {
    const how = { misbehave: firstTwo({ kind: "status", status: 500 }) };
    const first = await ask(how);
    await first.server.close();
    const second = await ask(how);
    // the address is part of the stream's name; waits differ between tries and stay in their bounds
    expect(new Set([...first.waits, ...second.waits]).size).toBeGreaterThan(2);
  });

  test("Retry-After is waited for; longer than two minutes is not", async () => {
    const after = (seconds: string): Misbehaviour => ({
      kind: "status",
      status: 429,
      headers: { "Retry-After": seconds },
    });
    const short = await ask({ misbehave: (_, at) => (at === 0 ? after("7") : null) });
    expect(short.waits[0]).toBeGreaterThanOrEqual(7000);
    expect(short.waits[0]).toBeLessThan(7300);
    await short.server.close();
    const dated = await ask({
      misbehave: (_, at) =>
        at === 0
          ? {
              kind: "status",
              status: 503,
              headers: {
                "Retry-After": "Thu, 01 Jan 2026 00:00:09 GMT",
                Date: "Thu, 01 Jan 2026 00:00:00 GMT",
              },
            }
          : null,
    });
    expect(dated.waits[0]).toBeGreaterThanOrEqual(9000);
    expect(dated.waits[0]).toBeLessThan(9300);
    await dated.server.close();
    const long = await ask({ misbehave: () => after("600") });
    expect(long.judged[0]?.[0]?.reason).toContain("asks to wait 600 s");
    expect(long.calls.length).toBe(1);
  });

  test("a hang ends at the time limit, and after all tries the verdict is missing with the reason", async () => {
    const { judged, calls } = await ask({
      misbehave: () => ({ kind: "hang" }),
      spec: { timeoutS: 0.1, retries: 1 },
    });
    expect(judged[0]?.[0]).toMatchObject({ verdict: null, failed: true });
    expect(judged[0]?.[0]?.reason).toContain("no reply within 0.1 s (2 tries)");
    expect(calls.length).toBe(2);
  });

  test("nobody there", async () => {
    const made = await judgeAt({ spec: { retries: 0 } });
    await made.server.close();
    const judged = await judgeOne(made.judge, criteria.slice(0, 1), answers.slice(0, 1), prompt);
    expect(judged[0]?.[0]?.reason).toContain("no connection to http://127.0.0.1");
    expect(judged[0]?.[0]?.reason).toContain("CORS");
  });
});

describe("an endpoint that refuses", () => {
  test("its words are the reason, without the key that it repeats", async () => {
    const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } });
    const { judge, calls, meter } = await judgeAt({
      misbehave: () => ({ kind: "status", status: 401, body }),
    });
    const judged = await judgeOne(judge, criteria.slice(0, 1), answers.slice(0, 1), prompt);
    expect(judged[0]?.[0]?.reason).toContain("HTTP 401: Incorrect API key provided: (the key)");
    expect(JSON.stringify([judged, meter.usage])).not.toContain(KEY);
    expect(calls.length).toBe(1);
  });

  test("structured output that it does not know: any JSON, then prose; asked so from then on", async () => {
    const known = new Set([undefined, "json_object"]);
    const { judge, calls } = await judgeAt({
      spec: { concurrency: 1 },
      misbehave: ({ body }) =>
        known.has(body.response_format?.type)
          ? null
          : { kind: "status", status: 400, body: "response_format?" },
    });
    expect(verdicts(await judgeOne(judge, criteria, answers, prompt))).toEqual(EXPECTED);
    expect(calls.map(({ body }) => body.response_format?.type).slice(0, 3)).toEqual([
      "json_schema",
      "json_object",
      "json_object",
    ]);
    known.delete("json_object");
    await judgeOne(judge, criteria, [{ text: "other", ended: true }], prompt);
    expect(calls.at(-1)?.body.response_format).toBeUndefined();
  });

  test("max_completion_tokens in place of max_tokens, and no temperature", async () => {
    const { judge, calls } = await judgeAt({
      spec: { concurrency: 1 },
      misbehave: ({ body }) => {
        if ("max_tokens" in body)
          return { kind: "status", status: 400, body: "Unsupported parameter: use 'max_completion_tokens'" };
        if ("temperature" in body) return { kind: "status", status: 400, body: "temperature must be 1" };
        return null;
      },
    });
    expect(verdicts(await judgeOne(judge, criteria.slice(0, 2), answers, prompt))).toEqual(
      EXPECTED.slice(0, 2),
    );
    expect(calls.at(-1)?.body["max_completion_tokens"]).toBe(1024);
    expect(calls.at(-1)?.body.response_format?.type).toBe("json_schema");
  });

  test.each<[string, Misbehaviour, string]>([
    ["another schema", says('{"score": 7}'), 'no JSON with "criteria_met"'],
    ["half JSON", says('{"explanation": "it does", "criteria_m'), "no JSON"],
    ["nothing", says(""), "no JSON"],
    ["a cut reply", { kind: "says", text: '{"explanation": "it', finish: "length" }, "cut at 1024 tokens"],
    ["null for a verdict", says('{"criteria_met": null}'), "no JSON"],
    [
      "two verdicts",
      says('{"criteria_met": true} or rather {"criteria_met": false}'),
      "both met and not met",
    ],
    ["a huge reply", { kind: "huge", bytes: 3_000_000 }, "more than 256 kB"],
    ["no choices", { kind: "body", body: '{"object": "error"}' }, "without choices[0].message.content"],
    ["JSON null", { kind: "body", body: "null" }, "without choices[0].message.content"],
  ])("%s is a missing verdict, never 0", async (_, how, reason) => {
    const { judge, meter } = await judgeAt({ misbehave: () => how });
    const judged = await judgeOne(judge, criteria.slice(0, 1), answers.slice(0, 1), prompt);
    expect(judged[0]?.[0]).toMatchObject({ verdict: null, failed: true });
    expect(judged[0]?.[0]?.reason).toContain(reason);
    expect(meter.usage).toMatchObject({ missing: 1, verdicts: 0 });
  });

  test.each([
    [
      "prose around it",
      'Sure! Here it is:\n```json\n{"explanation": "a } in it", "criteria_met": true}\n```\nBye.',
    ],
    ["thinking", '<think>{"criteria_met": false}? Hmm.</think>{"criteria_met": true}'],
    ["the word", '{"criteria_met": "Yes"}'],
    ["the number", '{"criteria_met": 1}'],
    ["the same twice", '{"criteria_met": true}\n{"criteria_met": true}'],
  ])("a verdict with %s is read", async (_, text) => {
    const { judge } = await judgeAt({ misbehave: () => says(text) });
    expect(verdicts(await judgeOne(judge, criteria.slice(0, 1), answers.slice(0, 1), prompt))).toEqual([[1]]);
  });
});

describe("a reply about a list", () => {
  const entry = (id: unknown, met: unknown): string =>
    JSON.stringify({ id, explanation: "", criteria_met: met });
  const list = (...entries: string[]): Misbehaviour => says(`{"verdicts": [${entries.join(",")}]}`);
  test.each<[string, Misbehaviour, (number | null)[]]>([
    ["one too few", list(entry(1, true), entry(3, false)), [1, null, 0]],
    ["one too many", list(entry(1, true), entry(2, true), entry(3, false), entry(4, true)), [1, 1, 0]],
    [
      "a repeated id that contradicts itself",
      list(entry(1, true), entry(2, true), entry(2, false)),
      [1, null, null],
    ],
    [
      "a repeated id that agrees",
      list(entry(1, true), entry(1, true), entry(2, false), entry(3, true)),
      [1, 0, 1],
    ],
    ["another order, ids as text", list(entry("3", true), entry("1", false), entry("2", true)), [0, 1, 1]],
    ["one verdict of another type", list(entry(1, "maybe"), entry(2, true), entry(3, true)), [null, 1, 1]],
    [
      "no ids",
      list('{"criteria_met": true}', '{"criteria_met": true}', '{"criteria_met": true}'),
      [null, null, null],
    ],
    ["a bare list", says(`[${entry(1, true)}, ${entry(2, false)}, ${entry(3, true)}]`), [1, 0, 1]],
    ["cut in the middle", says('{"verdicts": [{"id": 1, "criteria_met": true}, {"id"'), [1, null, null]],
    ["two lists", says('{"verdicts": []} {"verdicts": []}'), [null, null, null]],
  ])("%s", async (_, how, expected) => {
    const { judge } = await judgeAt({ spec: { style: "rubric" }, misbehave: () => how });
    const judged = await judgeOne(judge, criteria, answers.slice(0, 1), prompt);
    expect(judged.map(([one]) => one?.verdict)).toEqual(expected);
  });
});

describe("budget, silence, and a run that is stopped", () => {
  test("no call beyond the budget: the run pauses with what is used up, and what was given is remembered", async () => {
    const budget = { maxCalls: 4, maxTotalTokens: null as number | null };
    const { judge, calls } = await judgeAt({ budget, spec: { concurrency: 8 } });
    await expect(judgeOne(judge, criteria, answers, prompt)).rejects.toMatchObject({ code: "judge-spent" });
    expect(calls.length).toBe(4);
    budget.maxCalls = 6;
    expect(verdicts(await judgeOne(judge, criteria, answers, prompt))).toEqual(EXPECTED);
    expect(calls.length).toBe(6);
  });

  test("tokens count too, and a run that is to go on has missing verdicts", async () => {
    const budget = { maxCalls: null, maxTotalTokens: 250 };
    const { judge, calls, meter } = await judgeAt({ budget, spec: { concurrency: 1, whenSpent: "missing" } });
    const judged = await judgeOne(judge, criteria, answers, prompt);
    expect(calls.length).toBe(3); // 330 tokens; the third was begun at 220
    expect(meter.usage).toMatchObject({ verdicts: 3, missing: 3 });
    expect(judged.flat().find(({ verdict }) => verdict === null)?.reason).toContain("330 of 250 tokens");
  });

  test("not one verdict pauses the run with the reason; one is enough to go on", async () => {
    const broken = says("I would rather not.");
    const all = await judgeAt({ spec: { whenSilent: "pause" }, misbehave: () => broken });
    await expect(judgeOne(all.judge, criteria, answers, prompt)).rejects.toMatchObject({
      code: "judge-silent",
      message: expect.stringContaining("I would rather not") as string,
    });
    await all.server.close();
    const some = await judgeAt({
      spec: { whenSilent: "pause" },
      misbehave: (_, at) => (at === 0 ? null : broken),
    });
    const judged = await judgeOne(some.judge, criteria, answers, prompt);
    expect(judged.flat().filter(({ verdict }) => verdict !== null).length).toBeGreaterThan(0);
  });

  test("stopping ends open calls at once and asks nothing more", async () => {
    const {
      judge,
      calls,
      server: own,
    } = await judgeAt({
      spec: { timeoutS: 60, concurrency: 2 },
      misbehave: () => ({ kind: "hang" }),
    });
    const stop = new AbortController();
    const judging = judgeOne(judge, criteria, answers, prompt, stop.signal);
    const ended = expect(judging).rejects.toMatchObject({ code: "aborted" });
    while (calls.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await ended;
    await expect.poll(() => own.goneAway()).toBe(2);
    expect(calls.length).toBe(2);
  });
});
