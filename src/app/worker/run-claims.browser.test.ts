import { expect, test } from "vitest";
import { claimedRuns, createRunClaims } from "./run-claims.ts";
import { randomRunId } from "./run-id.ts";

test("a run belongs to one tab until it is given back; without locks every tab may have it", async () => {
  const id = randomRunId();
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  const [one, other] = [createRunClaims(navigator.locks), createRunClaims(navigator.locks)];
  const release = await one(id);
  expect([...(await claimedRuns(navigator.locks))]).toEqual([id]);
  await expect(other(id)).rejects.toMatchObject({ code: "run-elsewhere" });
  const releaseNext = await other(randomRunId());
  release();
  await expect.poll(async () => (await other(id).catch(() => null)) !== null).toBe(true);
  releaseNext();
  const blocked = {
    request: () => Promise.reject(new DOMException("Access to the Locks API is denied", "SecurityError")),
  } as unknown as LockManager;
  expect(await claimedRuns(undefined)).toEqual(new Set());
  for (const without of [createRunClaims(undefined), createRunClaims(blocked)]) {
    await without(id);
    await without(id);
  }
});
