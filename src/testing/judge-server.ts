/**
 * A local endpoint that speaks OpenAI's chat/completions for tests: it judges by a rule, keeps what it was asked, and misbehaves
 * where it is told to, as real ones do.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { defined } from "../base/assert.ts";

/** What one call asked. */
interface JudgeCall {
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly response_format?: { readonly type: string };
    readonly [field: string]: unknown;
  };
  readonly authorization: string | null;
  readonly path: string;
  readonly answer: string;
  /** One in a call about a criterion, several in a call about a list. */
  readonly criteria: readonly string[];
}

/** What comes back in place of a good reply. */
export type Misbehaviour =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body?: string;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: "hang" }
  /** The connection breaks in the middle of the reply's body. */
  | { readonly kind: "half" }
  | { readonly kind: "drop" }
  /** The assistant's words, as they are. */
  | { readonly kind: "says"; readonly text: string; readonly finish?: string }
  /** A body of so many bytes. */
  | { readonly kind: "huge"; readonly bytes: number }
  | { readonly kind: "body"; readonly body: string };

export interface JudgeServerOptions {
  /** The verdict where the server behaves. */
  readonly met?: (criterion: string, answer: string) => boolean;
  /** null = it behaves. `at` counts calls from 0. */
  readonly misbehave?: (call: JudgeCall, at: number) => Misbehaviour | null;
  /** Before a good reply. */
  readonly delayMs?: number;
  /** Lets pages of other origins ask. */
  readonly cors?: boolean;
  /** Tells no count of tokens. */
  readonly countless?: boolean;
}

export interface JudgeServer {
  /** As a judge's `url`. */
  readonly url: string;
  readonly calls: readonly JudgeCall[];
  /** Most calls that were open at once. */
  readonly mostOpen: () => number;
  /** Calls whose asker went away before the reply. */
  readonly goneAway: () => number;
  close(): Promise<void>;
}

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "authorization, content-type",
  "Access-Control-Expose-Headers": "retry-after",
};

export async function startJudgeServer(options: JudgeServerOptions = {}): Promise<JudgeServer> {
  const calls: JudgeCall[] = [];
  let open = 0;
  let mostOpen = 0;
  let goneAway = 0;
  const server = createServer((request, response) => {
    mostOpen = Math.max(mostOpen, ++open);
    response.on("close", () => {
      open--;
      if (!response.writableFinished) goneAway++;
    });
    if (options.cors === true)
      for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    void readCall(request).then((call) => {
      calls.push(call);
      const misbehaviour = options.misbehave?.(call, calls.length - 1) ?? null;
      if (misbehaviour !== null) misbehave(misbehaviour, response);
      else
        setTimeout(() => {
          behave(call, response, options);
        }, options.delayMs ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    mostOpen: () => mostOpen,
    goneAway: () => goneAway,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function readCall(request: IncomingMessage): Promise<JudgeCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as JudgeCall["body"];
  const user = defined(body.messages.at(-1), "a message").content;
  const lines = user.split("\n");
  const after = (header: string): readonly string[] => {
    const at = lines.indexOf(header);
    const rest = at === -1 ? [] : lines.slice(at + 1);
    const end = rest.findIndex((line) => line === "");
    return end === -1 ? rest : rest.slice(0, end);
  };
  const one = after("# Criterion");
  const criteria =
    one.length > 0
      ? [JSON.parse(one[0] ?? "") as string]
      : after("# Criteria").map((line) => (JSON.parse(line) as { criterion: string }).criterion);
  return {
    body,
    authorization: request.headers.authorization ?? null,
    path: request.url ?? "",
    answer: JSON.parse(after("# Response")[0] ?? '""') as string,
    criteria,
  };
}

/** Met by a number made of both texts: the same for the same, and mixed. */
function byHash(criterion: string, answer: string): boolean {
  let h = 0;
  for (const char of `${criterion}|${answer}`) h = (Math.imul(h, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return ((h >>> 3) & 1) === 1;
}

function behave(
  call: JudgeCall,
  response: ServerResponse,
  { met = byHash, countless }: JudgeServerOptions,
): void {
  const verdicts = call.criteria.map((criterion, i) => ({
    id: i + 1,
    explanation: "by the rule",
    criteria_met: met(criterion, call.answer),
  }));
  const [first] = verdicts;
  const alone = !call.body.messages.some(({ content }) => content.includes("\n# Criteria\n"));
  const said = alone ? { explanation: first?.explanation, criteria_met: first?.criteria_met } : { verdicts };
  sendJson(response, completion(JSON.stringify(said), "stop", countless !== true));
}

function completion(content: string, finish: string, counted: boolean): object {
  return {
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }],
    ...(counted ? { usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } } : {}),
  };
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}

function misbehave(how: Misbehaviour, response: ServerResponse): void {
  switch (how.kind) {
    case "status":
      response.writeHead(how.status, how.headers).end(how.body ?? "");
      break;
    case "hang":
      break; // until the asker goes away
    case "half": {
      const whole = JSON.stringify(completion('{"criteria_met": true}', "stop", true));
      response.writeHead(200, { "Content-Length": String(whole.length) });
      response.write(whole.slice(0, 40), () => response.destroy());
      break;
    }
    case "drop":
      response.destroy();
      break;
    case "says":
      sendJson(response, completion(how.text, how.finish ?? "stop", true));
      break;
    case "huge":
      response.writeHead(200);
      response.end(" ".repeat(how.bytes));
      break;
    case "body":
      response.writeHead(200).end(how.body);
      break;
  }
}
