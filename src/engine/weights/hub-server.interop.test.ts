/** The server that stands for the hub in tests, asked by huggingface_hub itself: what our source is held to is what the hub does. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startLocalHub } from "../../testing/local-hub.ts";
import { describeWithOracle, findOraclePython, REPOSITORY } from "../../testing/oracle.ts";

type Answer = Readonly<
  Record<
    string,
    { readonly commit?: string; readonly files?: Record<string, string>; readonly error?: string }
  >
>;

/** Not `askOracle`: that one holds this process, and with it the server. */
function ask(endpoint: string, input: object): Promise<Answer> {
  const found = findOraclePython();
  if ("reason" in found) throw new Error(found.reason);
  const env = {
    ...process.env,
    HF_ENDPOINT: endpoint,
    HF_HUB_DISABLE_XET: "1",
    HF_HUB_DISABLE_TELEMETRY: "1",
  };
  return new Promise((resolve, reject) => {
    const script = join(REPOSITORY, "scripts/oracles/hub_snapshot.py");
    const child = execFile(found.python, [script], { env }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Answer);
      else reject(new Error(stderr, { cause: error }));
    });
    child.stdin?.end(JSON.stringify(input));
  });
}

describeWithOracle("huggingface_hub", () => {
  it("downloads a snapshot of the local hub, and takes its refusals for the hub's", async () => {
    const hub = await startLocalHub({ shards: 2, gates: new Map([["test/gated", ["nobody's"]]]) });
    const [tiny] = hub.repositories;
    if (tiny !== undefined) hub.repositories.push({ ...tiny, id: "test/gated" });
    const folder = mkdtempSync(join(tmpdir(), "snapshots-"));
    try {
      const answer = await ask(hub.url, { folder, repos: ["test/tiny", "test/gated", "test/none"] });
      const files = readdirSync(hub.folder).map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(hub.folder, name)))
          .digest("hex"),
      ]);
      expect(answer["test/tiny"]).toEqual({
        commit: tiny?.commit,
        files: Object.fromEntries(files) as object,
      });
      expect(answer["test/gated"]?.error).toBe("GatedRepoError");
      expect(answer["test/none"]?.error).toMatch(/^RepositoryNotFoundError|LocalEntryNotFoundError$/);
    } finally {
      await hub.close();
      rmSync(folder, { recursive: true });
    }
  });
});
