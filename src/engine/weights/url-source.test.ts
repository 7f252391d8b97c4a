import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { createUrlSource } from "./url-source.ts";

let server: Server | undefined;

/** A real HTTP server, so that headers, streams and aborts are the platform's own. */
async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/models/tiny`;
}
async function stop(): Promise<void> {
  const stopping = server;
  server = undefined;
  stopping?.closeAllConnections();
  if (stopping) await promisify(stopping.close.bind(stopping))();
}
const coded = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error;

afterEach(stop);

describe("createUrlSource", () => {
  it("reads bytes below the base address and tells how many have come", async () => {
    const body = new Uint8Array(200_000).map((_, i) => i % 251);
    const base = await serve((request, response) => {
      expect(request.url).toBe("/models/tiny/model.safetensors");
      expect(request.headers.accept).not.toContain("*/*");
      response.writeHead(200, { "content-length": body.length, "content-type": "application/octet-stream" });
      response.end(body);
    });
    const seen: (readonly [number, number | null])[] = [];
    const bytes = await createUrlSource("tiny", base).read("model.safetensors", {
      onProgress: (loaded, total) => seen.push([loaded, total]),
    });
    expect(bytes).toEqual(body);
    expect(seen.at(-1)).toEqual([body.length, body.length]);
    expect(seen.every(([loaded], i) => loaded > (seen[i - 1]?.[0] ?? 0))).toBe(true);
  });

  it("says null for the total when the server does not tell", async () => {
    const base = await serve((_request, response) => {
      response.write("{");
      response.end("}");
    });
    const totals = new Set<number | null>();
    await createUrlSource("tiny", `${base}/`).read("config.json", {
      onProgress: (_, total) => totals.add(total),
    });
    expect([...totals]).toEqual([null]);
  });

  it("answers null for a file that is not there", async () => {
    const base = await serve((_request, response) => response.writeHead(404).end("<html>not here</html>"));
    expect(await createUrlSource("tiny", base).read("generation_config.json")).toBeNull();
  });

  it.each<[string, Record<string, string>, string]>([
    ["by its type", { "content-type": "text/html; charset=utf-8" }, "whatever"],
    ["by its first bytes", {}, "\n <!DOCTYPE html><html></html>"],
    [
      "by its first element",
      { "content-type": "application/octet-stream" },
      "<html><body>sign in</body></html>",
    ],
  ])("refuses an HTML page %s", async (_name, headers, body) => {
    const base = await serve((_request, response) => response.writeHead(200, headers).end(body));
    await expect(createUrlSource("tiny", base).read("config.json")).rejects.toThrow(
      coded("model-fetch-failed", "config.json: expected a model file, got an HTML page"),
    );
  });

  it("names the status of any other answer", async () => {
    const base = await serve((_request, response) => response.writeHead(503).end());
    await expect(createUrlSource("tiny", base).read("config.json")).rejects.toThrow(
      coded("model-fetch-failed", "got 503"),
    );
  });

  it("refuses an answer that breaks off", async () => {
    const base = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 1000 });
      response.write("half", () => response.destroy());
    });
    await expect(createUrlSource("tiny", base).read("model.safetensors")).rejects.toThrow(
      coded("model-fetch-failed", "model.safetensors"),
    );
  });

  it("refuses fewer bytes than announced even where the platform does not", async () => {
    const short = () => Promise.resolve(new Response("abc", { headers: { "content-length": "5" } }));
    await expect(createUrlSource("tiny", "http://x", short).read("a")).rejects.toThrow(
      coded("model-fetch-failed", "expected 5 bytes, got 3 bytes"),
    );
  });

  it("reports a server that cannot be reached", async () => {
    const base = await serve((_request, response) => response.end());
    await stop();
    await expect(createUrlSource("tiny", base).read("config.json")).rejects.toThrow(
      coded("model-fetch-failed", "expected an answer"),
    );
  });

  it("stops in the middle of a file when the signal fires", async () => {
    const controller = new AbortController();
    const base = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 1000 });
      response.write("first");
    });
    const act = createUrlSource("tiny", base).read("model.safetensors", {
      signal: controller.signal,
      onProgress: () => {
        controller.abort();
      },
    });
    await expect(act).rejects.toThrow(coded("aborted", "model.safetensors"));
  });
});

describe("ranges of a file", () => {
  const body = new Uint8Array(50_000).map((_, i) => (7 * i) % 251);
  /** Answers ranges; cuts every connection after `most` bytes. */
  const ranged =
    (most: number): RequestListener =>
    (request, response) => {
      const [, start = "", end = ""] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
      const part = body.subarray(Number(start), Number(end) + 1);
      response.writeHead(206, {
        "content-range": `bytes ${start}-${end}/${body.length}`,
        "content-length": part.length,
      });
      response.write(part.subarray(0, most), () => {
        if (part.length > most) response.destroy();
        else response.end();
      });
    };

  it("are read, and go on where the connection broke", async () => {
    const source = createUrlSource("tiny", await serve(ranged(3000)));
    const file = await source.open?.("model.safetensors");
    expect(file?.sizeBytes).toBe(body.length);
    expect(await file?.read(100, 40_000)).toEqual(body.subarray(100, 40_000));
  });

  it("fail after four tries without a byte", async () => {
    let tries = 0;
    const base = await serve((request, response) => {
      if (request.headers.range === "bytes=0-0") {
        ranged(10)(request, response);
        return;
      }
      tries++;
      response.destroy();
    });
    const file = await createUrlSource("tiny", base).open?.("model.safetensors");
    await expect(file?.read(0, 10)).rejects.toThrow("model.safetensors");
    expect(tries).toBe(4);
  });

  it("are asked for once where the server refuses them", async () => {
    let tries = 0;
    const base = await serve((request, response) => {
      if (request.headers.range === "bytes=0-0") {
        ranged(10)(request, response);
        return;
      }
      tries++;
      response.writeHead(429).end();
    });
    const file = await createUrlSource("tiny", base).open?.("model.safetensors");
    await expect(file?.read(0, 10)).rejects.toThrow("got 429");
    expect(tries).toBe(1);
  });

  it("come from the whole file where a server has none", async () => {
    const base = await serve((_, response) => response.end(body));
    const file = await createUrlSource("tiny", base).open?.("model.safetensors");
    expect(await file?.read(5, 20)).toEqual(body.subarray(5, 20));
  });

  it("are no page, and no file that is not there", async () => {
    const page = await serve((_, response) => response.end("<!doctype html><p>Sign in"));
    await expect(createUrlSource("tiny", page).open?.("model.safetensors")).rejects.toThrow("an HTML page");
    await stop();
    const none = await serve((_, response) => response.writeHead(404).end());
    expect(await createUrlSource("tiny", none).open?.("model.safetensors")).toBeNull();
  });
});
