/** Models of a server that answers like the hub: pinned, measured, hashed; gates and tokens; GGUF files behind an id. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import type { Misbehave } from "../../../scripts/hub/misbehaviour.ts";
import { readRepository } from "../../../scripts/hub/repository.ts";
import { writeRandomModel } from "../../../scripts/hub/random-model.ts";
import { type LocalHub, startLocalHub } from "../../testing/local-hub.ts";
import { createHubSource, type HubModel, listGgufFiles } from "./hub-source.ts";
import { loadModel } from "./load-model.ts";
import type { ModelSource } from "./model-source.ts";

const SECRET = "hf_notToBeSeenAnywhere";
const GGUF = join(import.meta.dirname, "../../testing/fixtures/gguf/qwen3.gguf");
let hub: LocalHub;
let folders: string[] = [];

afterEach(async () => {
  await hub.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
  folders = [];
});

async function start(options: Parameters<typeof startLocalHub>[0] = {}): Promise<void> {
  hub = await startLocalHub(options);
}
function model(changes: Partial<HubModel> = {}): HubModel {
  return {
    repo: "test/tiny",
    revision: "main",
    endpoint: `${hub.url}/`,
    token: null,
    file: null,
    ...changes,
  };
}
const source = (changes: Partial<HubModel> = {}): ModelSource =>
  createHubSource(model(changes), { wait: () => Promise.resolve() });
async function addRepository(id: string, files: Readonly<Record<string, string>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "repository-"));
  folders.push(folder);
  for (const [path, from] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    copyFileSync(from, join(folder, path));
  }
  hub.repositories.push(await readRepository(id, folder));
}
const coded = (code: string, message: string | RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string }) as Error;
const paths = (server: "hub" | "cdn"): string[] =>
  hub.asked.filter((asked) => asked.server === server).map(({ path }) => path);

describe("a model by its id", () => {
  it.each([1, 3])("is loaded, %i files of weights, every file's hash compared", async (shards) => {
    await start({ shards });
    const tiny = source();
    const loaded = await loadModel(tiny);
    expect(loaded.name).toBe("test/tiny");
    expect(loaded.weights.size).toBe(24);
    const { commit, files } = defined(hub.repositories[0], "repository");
    expect(tiny.provenance?.().commit).toBe(commit);
    expect([...(tiny.provenance?.().hashed ?? [])].sort()).toEqual([...files.keys()].sort());
    // of a file of weights its header, the tensor that begins in it, and all that follows
    expect(paths("cdn").length).toBeLessThanOrEqual(shards * 3);
    expect(paths("hub")[0]).toBe("/api/models/test/tiny/revision/main");
    expect(paths("hub").filter((path) => path.includes("chat_template"))).toEqual([]);
  });

  it("is read at the commit that was named first, though it changes meanwhile", async () => {
    await start();
    const old = source();
    const bytes = await old.read("config.json");
    const [before] = hub.repositories;
    const folder = mkdtempSync(join(tmpdir(), "repository-"));
    folders.push(folder);
    writeRandomModel({ shape: "tiny", folder, seed: 2, shards: 1 });
    hub.repositories.push(await readRepository("test/tiny", folder));
    const loaded = await loadModel(old);
    expect(old.provenance?.().commit).toBe(before?.commit);
    expect(bytes).not.toBeNull();
    const other = source();
    const changed = await loadModel(other);
    expect(other.provenance?.().commit).not.toBe(before?.commit);
    const first = (of: typeof loaded): unknown => of.weights.get("model.embed_tokens.weight")?.data[0];
    expect(first(changed)).not.toBe(first(loaded));
    expect(paths("hub").some((path) => path.includes("/resolve/main/"))).toBe(false);
  });

  it("survives connections that break", async () => {
    await start({
      misbehave: ({ server }) => (server === "cdn" ? { kind: "cut", afterBytes: 50_000 } : null),
    });
    const tiny = source();
    expect((await loadModel(tiny)).weights.size).toBe(24);
    expect(tiny.provenance?.().hashed).toContain("model.safetensors");
    // a large tokenizer is read whole, and over breaks as well
    const whole = await tiny.read("model.safetensors");
    expect(whole?.length).toBe(hub.repositories[0]?.files.get("model.safetensors")?.sizeBytes);
  });

  it.each<[string, Misbehave, RegExp]>([
    [
      "weights",
      ({ server }) => (server === "cdn" ? { kind: "other-version", etag: '"same"' } : null),
      /SHA-256|header|JSON/,
    ],
    [
      "tokenizer",
      ({ path }) =>
        path.includes("resolve-cache") && path.endsWith("tokenizer.json")
          ? { kind: "other-version", etag: '"same"' }
          : null,
      /tokenizer\.json: expected the git blob id/,
    ],
  ])("with %s that are not the hub's is refused", async (_, misbehave, message) => {
    await start({ misbehave });
    await expect(loadModel(source())).rejects.toThrow(coded("model-broken", message));
  });

  it("whose weights were changed in one byte is refused by their SHA-256", async () => {
    await start();
    const place = join(hub.folder, "model.safetensors");
    const bytes = readFileSync(place);
    bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1;
    writeFileSync(place, bytes); // behind the listing's back
    const tiny = source();
    await expect(loadModel(tiny)).rejects.toThrow(
      coded(
        "model-broken",
        /model\.safetensors: expected the SHA-256 [0-9a-f]{64}, as the hub says, got [0-9a-f]{64}/,
      ),
    );
    expect(tiny.provenance?.().hashed).not.toContain("model.safetensors");
  });

  it("with a file of another size than the hub says is refused", async () => {
    await start();
    writeFileSync(
      join(hub.folder, "model.safetensors"),
      readFileSync(join(hub.folder, "model.safetensors")).subarray(1),
    );
    const listed = hub.repositories[0]?.files.get("model.safetensors");
    if (listed) Object.assign(listed, { sizeBytes: listed.sizeBytes - 1 });
    const told = listed && { ...listed, sizeBytes: listed.sizeBytes + 1 };
    const { fetcher } = lying((info) => {
      for (const sibling of info.siblings) {
        if (sibling.rfilename === told?.path) Object.assign(sibling, { size: told.sizeBytes });
      }
    });
    await expect(loadModel(createHubSource(model(), { fetcher }))).rejects.toThrow("as when it was opened");
  });

  it("is loaded from a mirror that tells no sizes and no hashes, and is not said to be compared", async () => {
    await start();
    const { fetcher } = lying((info) => {
      info.siblings = info.siblings.map(({ rfilename }) => ({ rfilename }));
    });
    const plain = createHubSource(model(), { fetcher });
    expect((await loadModel(plain)).weights.size).toBe(24);
    expect(plain.provenance?.().hashed).toEqual([]);
  });
});

interface Info {
  siblings: { rfilename: string }[];
}

/** A fetch whose answers about models are changed. */
function lying(change: (info: Info) => void): { fetcher: typeof fetch } {
  return {
    fetcher: async (url, init) => {
      const response = await fetch(url, init);
      if (!(url as string).includes("/api/models/")) return response;
      const info = (await response.json()) as Info;
      change(info);
      return Response.json(info);
    },
  };
}

describe("gates and tokens", () => {
  const gates = new Map([["test/tiny", [SECRET]]]);

  it("a token goes to the hub alone, not to the host that its downloads lead to", async () => {
    await start({ gates });
    await loadModel(source({ token: SECRET }));
    const sent = (server: "hub" | "cdn"): Set<string | null> =>
      new Set(hub.asked.filter((asked) => asked.server === server).map(({ authorization }) => authorization));
    expect([...sent("hub")]).toEqual([`Bearer ${SECRET}`]);
    expect([...sent("cdn")]).toEqual([null]);
  });

  it.each<[string, Partial<HubModel>, RegExp]>([
    ["a gate without a token", {}, /401, no token\. Accept its terms at .*\/test\/tiny, make a token/],
    [
      "a gate that does not let the token in",
      { token: `${SECRET}2` },
      /403, the gate is closed to it\. Ask for access/,
    ],
    ["no such model, to a stranger", { repo: "test/none" }, /none, or a private one\. Check the id/],
    ["no such model, to a token", { repo: "test/none", token: SECRET }, /404: none, or one that this token/],
    ["no such revision", { revision: "v9", token: SECRET }, /a revision that it does not have/],
  ])("%s is told with what to do", async (_, changes, message) => {
    await start({ gates });
    const refused = loadModel(source(changes));
    await expect(refused).rejects.toThrow(coded("model-fetch-failed", message));
    await expect(refused).rejects.not.toThrow(SECRET);
    expect(paths("cdn")).toEqual([]);
  });

  it("a refusal by the download host is not taken for the hub's", async () => {
    await start({ misbehave: ({ server }) => (server === "cdn" ? { kind: "status", status: 403 } : null) });
    await expect(loadModel(source())).rejects.toThrow("expected status 206, got 403");
  });

  it("a server that is no hub is told", async () => {
    await start({
      misbehave: ({ path }) => (path.startsWith("/api") ? { kind: "status", status: 404 } : null),
    });
    await expect(loadModel(source())).rejects.toThrow("none, or a private one");
  });
});

describe("GGUF behind an id", () => {
  it("is found where the repository holds one, and its bytes are compared", async () => {
    await start();
    await addRepository("test/one", { "qwen3-Q8_0.gguf": GGUF, "mmproj-f16.gguf": GGUF });
    const one = source({ repo: "test/one" });
    expect((await loadModel(one)).config.architecture).toBe("qwen3");
    expect(one.provenance?.().hashed).toEqual(["qwen3-Q8_0.gguf"]);
  });

  it("is chosen by name where there are several, beside a config.json too", async () => {
    await start();
    const config = join(hub.folder, "config.json");
    await addRepository("test/many", {
      "a-Q4_0.gguf": GGUF,
      "sub folder/b-Q8_0.gguf": GGUF,
      "config.json": config,
    });
    await expect(loadModel(source({ repo: "test/many" }))).rejects.toThrow(
      coded("model-file-choice", /2 of them: a-Q4_0\.gguf, sub folder\/b-Q8_0\.gguf/),
    );
    const files = await listGgufFiles(model({ repo: "test/many" }));
    const sizeBytes = readFileSync(GGUF).length;
    expect(files).toEqual([
      { path: "a-Q4_0.gguf", sizeBytes },
      { path: "sub folder/b-Q8_0.gguf", sizeBytes },
    ]);
    const chosen = await loadModel(source({ repo: "test/many", file: "sub folder/b-Q8_0.gguf" }));
    expect(chosen.name).toBe("test/many/sub folder/b-Q8_0.gguf");
    await expect(loadModel(source({ repo: "test/many", file: "c.gguf" }))).rejects.toThrow(
      "one of a-Q4_0.gguf, sub folder/b-Q8_0.gguf",
    );
  });
});
