/** Files behind an address, from a server that answers like the hub, redirects included, and that does wrong what it is told to. */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Misbehave, Misbehaviour } from "../../../scripts/hub/misbehaviour.ts";
import { readRepository } from "../../../scripts/hub/repository.ts";
import { type LocalHub, startLocalHub } from "../../testing/local-hub.ts";
import { loadModel } from "./load-model.ts";
import type { RangedFile } from "./model-source.ts";
import { createGgufUrlSource, createUrlSource, ggufFileOf } from "./url-source.ts";

const WEIGHTS = "model.safetensors";
const GGUF = join(import.meta.dirname, "../../testing/fixtures/gguf/qwen3.gguf");
let hub: LocalHub | undefined;
let wrong: Misbehave = () => null;

async function serve(misbehave: Misbehave = () => null): Promise<string> {
  wrong = misbehave;
  hub ??= await startLocalHub({ misbehave: (asked) => wrong(asked) });
  return `${hub.url}/test/tiny/resolve/main`;
}
afterEach(async () => {
  await hub?.close();
  hub = undefined;
});
const fileOf = (path: string): Uint8Array => new Uint8Array(readFileSync(join(hub?.folder ?? "", path)));
/** toEqual looks at each byte for seconds. */
const expectBytes = (got: Uint8Array | null | undefined, wanted: Uint8Array): void => {
  expect(Buffer.from(got ?? []).equals(wanted)).toBe(true);
};
/** Waits are over at once. */
const wait = (): Promise<void> => Promise.resolve();
const coded = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error;
/** What the download host does wrong with ranges of the weights, the first byte left alone. */
const inRanges = (what: (count: number) => Misbehaviour | null): Misbehave =>
  (() => {
    let count = 0;
    return ({ server, range }) =>
      server === "cdn" && range !== null && range !== "bytes=0-0" ? what(count++) : null;
  })();
const rangesAsked = (): string[] =>
  (hub?.asked ?? []).flatMap(({ server, range }) => (server === "cdn" && range !== null ? [range] : []));

describe("a whole file", () => {
  it("is read below the base address, over the redirect, and tells how many bytes have come", async () => {
    const base = await serve();
    const seen: (readonly [number, number | null])[] = [];
    const bytes = await createUrlSource("tiny", base).read(WEIGHTS, {
      onProgress: (loaded, total) => seen.push([loaded, total]),
    });
    expectBytes(bytes, fileOf(WEIGHTS));
    expect(seen.at(-1)).toEqual([bytes?.length, bytes?.length]);
    expect(seen.every(([loaded], i) => loaded > (seen[i - 1]?.[0] ?? 0))).toBe(true);
    expect(hub?.asked.map(({ server }) => server)).toEqual(["hub", "cdn"]);
  });

  it("asks for no kind that a page would be", async () => {
    let accepted: string | null = null;
    const fetcher: typeof fetch = (_, init) => {
      accepted = new Headers(init?.headers).get("accept");
      return Promise.resolve(new Response("{}"));
    };
    await createUrlSource("tiny", "http://x/", { fetcher }).read("config.json");
    expect(accepted).not.toMatch(/\*\/\*|html/);
  });

  it("says null for the total when the server does not tell", async () => {
    const totals = new Set<number | null>();
    const fetcher = () => Promise.resolve(new Response(new Blob(["{}"]).stream()));
    await createUrlSource("tiny", "http://x", { fetcher }).read("config.json", {
      onProgress: (_, total) => totals.add(total),
    });
    expect([...totals]).toEqual([null]);
  });

  it("is null where there is none", async () => {
    expect(await createUrlSource("tiny", await serve()).read("chat_template.jinja")).toBeNull();
  });

  it.each([
    ["by its type", "text/html; charset=utf-8"],
    ["by its first bytes", "application/octet-stream"],
  ])("is no HTML page: known %s", async (_, type) => {
    const base = await serve(({ server }) => (server === "cdn" ? { kind: "page", type } : null));
    await expect(createUrlSource("tiny", base).read(WEIGHTS)).rejects.toThrow(
      coded("model-fetch-failed", "model.safetensors: expected a model file, got an HTML page"),
    );
  });

  it("begins with < only where it is a chat template", async () => {
    const fetcher = () => Promise.resolve(new Response("<|im_start|>{{ message }}"));
    const source = createUrlSource("tiny", "http://x", { fetcher });
    expect(await source.read("chat_template.jinja")).not.toBeNull();
    await expect(source.read("config.json")).rejects.toThrow("an HTML page");
  });

  it("names the status of any other answer", async () => {
    const base = await serve(() => ({ kind: "status", status: 500 }));
    await expect(createUrlSource("tiny", base).read("config.json")).rejects.toThrow(
      coded("model-fetch-failed", "got 500"),
    );
  });

  it("that breaks off is asked for again, and refused after six tries", async () => {
    let cuts = 2;
    const base = await serve(({ server }) =>
      server === "cdn" && cuts-- > 0 ? { kind: "cut", afterBytes: 100 } : null,
    );
    const source = createUrlSource("tiny", base, { wait });
    expectBytes(await source.read(WEIGHTS), fileOf(WEIGHTS));
    cuts = 99;
    await expect(source.read(WEIGHTS)).rejects.toThrow(coded("model-fetch-failed", "model.safetensors"));
    expect(hub?.asked.filter(({ server }) => server === "cdn")).toHaveLength(3 + 6);
  });

  it("with fewer bytes than announced is refused even where the platform does not", async () => {
    const fetcher = () => Promise.resolve(new Response("abc", { headers: { "content-length": "5" } }));
    await expect(createUrlSource("tiny", "http://x", { fetcher, wait }).read("a")).rejects.toThrow(
      coded("model-fetch-failed", "expected 5 bytes, got 3 bytes"),
    );
  });

  it("with more bytes than announced was compressed on its way, as a page of another origin cannot see", async () => {
    const fetcher = () => Promise.resolve(new Response("{12345}", { headers: { "content-length": "5" } }));
    expect(await createUrlSource("tiny", "http://x", { fetcher }).read("a")).toHaveLength(7);
  });

  it("of a server that cannot be reached is told", async () => {
    const base = await serve();
    await hub?.close();
    hub = undefined;
    await expect(createUrlSource("tiny", base).read("config.json")).rejects.toThrow(
      coded("model-fetch-failed", "expected an answer"),
    );
  });

  it("stops in its middle when the signal fires", async () => {
    const controller = new AbortController();
    const base = await serve(({ server }) => (server === "cdn" ? { kind: "stall", afterBytes: 1000 } : null));
    const act = createUrlSource("tiny", base).read(WEIGHTS, {
      signal: controller.signal,
      onProgress: () => {
        controller.abort();
      },
    });
    await expect(act).rejects.toThrow(coded("aborted", WEIGHTS));
  });
});

describe("a server that is busy", () => {
  const later = (headers: Readonly<Record<string, string>>, times: number, status = 429): Misbehave => {
    let left = times;
    return () => (left-- > 0 ? { kind: "status", status, headers } : null);
  };
  const reading = async (misbehave: Misbehave): Promise<{ waits: number[]; bytes: Uint8Array | null }> => {
    const waits: number[] = [];
    const base = await serve(misbehave);
    const source = createUrlSource("tiny", base, {
      wait: () => Promise.resolve(),
      onWait: (ms) => waits.push(ms),
    });
    const bytes = await source.read("config.json");
    return { waits, bytes };
  };

  it.each<[string, Misbehave, number[]]>([
    ["as Retry-After says", later({ "Retry-After": "7" }, 2), [7000, 7000]],
    [
      "as a Retry-After with a date says",
      later({ Date: "Wed, 31 Dec 2025 23:59:30 GMT", "Retry-After": "Thu, 01 Jan 2026 00:00:10 GMT" }, 1),
      [40_000],
    ],
    ["as the hub's RateLimit says", later({ RateLimit: '"resolvers";r=0;t=55' }, 1), [55_000]],
    ["longer each time where it says nothing", later({}, 3, 503), [1000, 2000, 4000]],
  ])("is asked again after a wait, %s", async (_, misbehave, waits) => {
    const told = await reading(misbehave);
    expect(told).toEqual({ waits, bytes: fileOf("config.json") });
  });

  it("that asks for a long wait, or for ever, is given up with what it said", async () => {
    await expect(reading(later({ "Retry-After": "1200" }, 1))).rejects.toThrow(
      coded("model-fetch-failed", "got 429, too many requests. Load again in 20 minutes"),
    );
    await expect(reading(later({}, 99, 503))).rejects.toThrow("503, the server is busy");
    expect(hub?.asked).toHaveLength(1 + 6);
  });

  it("is not waited for once loading was given up", async () => {
    const controller = new AbortController();
    const base = await serve(later({ "Retry-After": "60" }, 1));
    const onWait = (): void => {
      controller.abort();
    };
    const act = createUrlSource("tiny", base, { onWait }).read("config.json", { signal: controller.signal });
    await expect(act).rejects.toThrow(coded("aborted", "config.json"));
  });
});

describe("a server that says nothing", () => {
  const STALL_MS = 150;
  const silent: Misbehaviour = { kind: "silent" };
  const open = (base: string) => createUrlSource("tiny", base, { wait, stallMs: STALL_MS });
  /** What is done wrong, in turn; then nothing. */
  const inTurn = (server: "hub" | "cdn", turns: readonly Misbehaviour[]): Misbehave => {
    const left = [...turns];
    return (asked) => (asked.server === server ? (left.shift() ?? null) : null);
  };

  it.each<[string, Misbehave]>([
    ["before its head", inTurn("hub", [silent, silent])],
    ["after a redirect", inTurn("cdn", [silent])],
    ["after its head", inTurn("cdn", [{ kind: "stall", afterBytes: 0 }])],
    ["within its body", inTurn("cdn", [{ kind: "stall", afterBytes: 70_000 }])],
  ])("%s is asked again for the whole file", async (_, misbehave) => {
    const base = await serve(misbehave);
    expectBytes(await open(base).read(WEIGHTS), fileOf(WEIGHTS));
  });

  it("is asked for the rest of a range, from the byte that came last", async () => {
    const stall: Misbehaviour = { kind: "stall", afterBytes: 70_000 };
    const base = await serve(inTurn("cdn", [silent, { kind: "stall", afterBytes: 1 }, silent, stall, stall]));
    const file = await open(base).open?.(WEIGHTS);
    expectBytes(await file?.read(100, 300_000), fileOf(WEIGHTS).subarray(100, 300_000));
    expect(rangesAsked()).toEqual([
      ...["bytes=0-0", "bytes=0-0", "bytes=100-299999"],
      ...["bytes=100-299999", "bytes=70100-299999", "bytes=140100-299999"],
    ]);
  });

  it("for ever is given up after three tries, with how long nothing came", async () => {
    const base = await serve(() => silent);
    const act = open(base).read("config.json");
    await expect(act).rejects.toThrow(
      coded(
        "model-fetch-failed",
        "config.json: expected an answer, got nothing for 0.15 s. Check the address",
      ),
    );
    expect(hub?.asked).toHaveLength(3);
  });

  it("for long, but not for longer than that at a time, is waited for", async () => {
    const parts = ["s", "l", "o", "w", "l", "y"].map((letter) => new TextEncoder().encode(letter));
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, STALL_MS / 3));
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else controller.close();
      },
    });
    const fetcher = () => Promise.resolve(new Response(body));
    const source = createUrlSource("tiny", "http://x", { fetcher, stallMs: STALL_MS });
    expect(new TextDecoder().decode((await source.read("a.json")) ?? undefined)).toBe("slowly");
  });

  it("is let go at once when loading is given up", async () => {
    const controller = new AbortController();
    const base = await serve(() => silent);
    const act = createUrlSource("tiny", base).read("config.json", { signal: controller.signal });
    setTimeout(() => {
      controller.abort();
    }, 20);
    await expect(act).rejects.toThrow(coded("aborted", "config.json"));
  });
});

describe("ranges of a file", () => {
  /** Waits are over at once and written down. */
  async function open(misbehave: Misbehave): Promise<{ file: RangedFile; waits: number[] }> {
    const waits: number[] = [];
    const base = await serve(misbehave);
    const wait = (ms: number): Promise<void> => {
      waits.push(ms);
      return Promise.resolve();
    };
    const file = await createUrlSource("tiny", base, { wait }).open?.(WEIGHTS);
    if (!file) throw new Error("no file");
    return { file, waits };
  }

  it("are read, and go on where the connection broke", async () => {
    const { file } = await open(inRanges(() => ({ kind: "cut", afterBytes: 70_000 })));
    const whole = fileOf(WEIGHTS);
    expect(file.sizeBytes).toBe(whole.length);
    expectBytes(await file.read(100, 300_000), whole.subarray(100, 300_000));
    expect(rangesAsked().slice(1)).toEqual(
      [100, 70_100, 140_100, 210_100, 280_100].map((start) => `bytes=${start}-299999`),
    );
  });

  it("in the order of the file are one request, whatever they are cut into", async () => {
    const { file } = await open(() => null);
    const whole = fileOf(WEIGHTS);
    const cuts = [0, 1000, 1200, 150_000, 150_001, whole.length];
    for (const [i, start] of cuts.slice(0, -1).entries()) {
      const end = cuts[i + 1] ?? 0;
      expectBytes(await file.read(start, end), whole.subarray(start, end));
    }
    expect(rangesAsked()).toEqual(["bytes=0-0", "bytes=0-999", `bytes=1000-${whole.length - 1}`]);
    // and one that goes back is asked for by itself
    expectBytes(await file.read(5, 10), whole.subarray(5, 10));
    expect(rangesAsked().at(-1)).toBe("bytes=5-9");
  });

  it("asked for at the same time do not mix", async () => {
    const { file } = await open(() => null);
    const whole = fileOf(WEIGHTS);
    const spans = [
      [0, 90_000],
      [90_000, 200_000],
      [10, 20],
    ] as const;
    const parts = await Promise.all(spans.map(([start, end]) => file.read(start, end)));
    for (const [i, [start, end]] of spans.entries()) expectBytes(parts[i], whole.subarray(start, end));
  });

  it("fail after six tries without a byte, further apart each time", async () => {
    const { file, waits } = await open(inRanges(() => ({ kind: "cut", afterBytes: 0 })));
    await expect(file.read(0, 10)).rejects.toThrow(WEIGHTS);
    expect(rangesAsked()).toHaveLength(1 + 6);
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });

  it("are asked for once where the server refuses them", async () => {
    const { file } = await open(inRanges(() => ({ kind: "status", status: 403 })));
    await expect(file.read(0, 10)).rejects.toThrow("got 403");
    expect(rangesAsked()).toHaveLength(2);
  });

  it("come from the whole file where a server has none, even from the middle of a download", async () => {
    const { file } = await open(({ server }) => (server === "cdn" ? { kind: "whole" } : null));
    expectBytes(await file.read(5, 20), fileOf(WEIGHTS).subarray(5, 20));
    const later = await open(inRanges(() => ({ kind: "whole" })));
    expectBytes(await later.file.read(200_000, 300_000), fileOf(WEIGHTS).subarray(200_000, 300_000));
  });

  it.each([
    ["text/html", 0],
    ["application/octet-stream", 0],
    ["application/octet-stream", 5000],
  ])("are no page of type %s from byte %i on, whatever the status", async (type, start) => {
    const { file } = await open(inRanges(() => ({ kind: "page", type })));
    await expect(file.read(start, start + 10_000)).rejects.toThrow("an HTML page");
  });

  it("never mix two versions of a file", async () => {
    const { file } = await open(
      inRanges((count) =>
        count === 0 ? { kind: "cut", afterBytes: 3000 } : { kind: "other-version", etag: '"new"' },
      ),
    );
    await expect(file.read(0, 10_000)).rejects.toThrow(
      coded("model-fetch-failed", 'as when it was opened, got "new". The file was replaced'),
    );
  });

  it("are no page, and no file that is not there", async () => {
    const base = await serve(({ server }) => (server === "cdn" ? { kind: "page", type: "text/html" } : null));
    await expect(createUrlSource("tiny", base).open?.(WEIGHTS)).rejects.toThrow("an HTML page");
    expect(await createUrlSource("tiny", base).open?.("none.safetensors")).toBeNull();
  });

  it("have their size from HEAD where Content-Range cannot be read", async () => {
    const base = await serve();
    const hidden: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      const headers = new Headers(response.headers);
      headers.delete("content-range");
      return new Response(response.body, { status: response.status, headers });
    };
    const file = await createUrlSource("tiny", base, { fetcher: hidden }).open?.(WEIGHTS);
    expect(file?.sizeBytes).toBe(fileOf(WEIGHTS).length);
    expectBytes(await file?.read(7, 9), fileOf(WEIGHTS).subarray(7, 9));
  });
});

it("a folder of sharded safetensors is loaded from its address, nothing of it compared", async () => {
  hub = await startLocalHub({ shards: 3 });
  const source = createUrlSource("tiny", `${hub.url}/test/tiny/resolve/main`);
  const model = await loadModel(source);
  expect(model.weights.size).toBe(24);
  expect(hub.asked.filter(({ path }) => /-of-\d{5}\.safetensors$/.test(path))).not.toHaveLength(0);
});

describe("an address of one GGUF file", () => {
  it("is loaded, its ranges over the redirect", async () => {
    hub = await startLocalHub();
    copyFileSync(GGUF, join(hub.folder, "m.gguf"));
    hub.repositories.push(await readRepository("test/gguf", hub.folder));
    const url = `${hub.url}/test/gguf/resolve/main/m.gguf?download=true`;
    const { config, tokenizerFiles } = await loadModel(createGgufUrlSource(url, url));
    expect(config.architecture).toBe("qwen3");
    expect(tokenizerFiles.tokenizerJson).not.toBeNull();
    expect(rangesAsked()).not.toHaveLength(0);
  });

  it("is told from a folder's, whatever its query", () => {
    expect(ggufFileOf("https://x/a/Some%20model.Q8_0.GGUF?download=true")).toBe("Some model.Q8_0.GGUF");
    expect(ggufFileOf("https://x/gguf/")).toBeNull();
    expect(ggufFileOf("https://x/a?file=b.gguf")).toBeNull();
  });

  it("is read as it stands, its query included", async () => {
    const urls: string[] = [];
    const fetcher: typeof fetch = (url) => {
      urls.push(url as string);
      return Promise.resolve(new Response("GGUF"));
    };
    const source = createGgufUrlSource("m", "http://x/m.gguf?a=b", { fetcher });
    expect(await source.list?.()).toEqual(["m.gguf"]);
    await source.read("m.gguf");
    expect(urls).toEqual(["http://x/m.gguf?a=b"]);
  });
});
