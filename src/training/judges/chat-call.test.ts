/** One call whose key or address cannot work: said for what it is, never asked again, and the key goes nowhere else. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { callChat, type ChatCall } from "./chat-call.ts";

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

const callAt = (url: string, key: string): ChatCall => ({
  ...{ url, key, model: "m", messages: [], temperature: null, responseFormat: null, timeoutMs: 2000 },
  maxTokens: { name: "max_tokens", value: 16 },
  wallClock: () => 0,
});

test("a key that no header can hold is refused before anything is asked", async () => {
  let asked = 0;
  const count = (): Promise<Response> => {
    asked += 1;
    return Promise.resolve(new Response("{}"));
  };
  expect(await callChat(count, callAt("http://localhost/v1", "sk-1\u200b"))).toEqual({
    kind: "refused",
    reason: "the key holds a character that no key has: copy it anew",
    status: null,
  });
  expect(asked).toBe(0);
});

test.each([301, 302, 307, 308])("an answer %i that leads on is not followed, and says so", async (status) => {
  const seen: string[] = [];
  server = createServer((request, response) => {
    seen.push(request.url ?? "");
    response.writeHead(status, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await callChat(fetch, callAt(`http://127.0.0.1:${port}/v1`, "sk-1"))).toMatchObject({
    kind: "refused",
    reason: expect.stringContaining("leads on to another address") as unknown,
  });
  expect(seen).toEqual(["/v1/chat/completions"]);
});
