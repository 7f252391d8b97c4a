/** Whole runs with judges: repeated from their seed, missing where there is no verdict, held-out by another judge, penalties turned round. */
import { expect, test } from "vitest";
import { endpointJudgeSchema, judgeSpecSchema, type JudgeSpec } from "../../domain/run/judge-spec.ts";
import { parseRunSpec } from "../../domain/run/parse-run-spec.ts";
import type { ArmStep, Evaluation } from "../../domain/run/records.ts";
import { fakeDeps, fakeSpec } from "../../testing/fake-run.ts";
import { startJudgeServer, type JudgeServerOptions } from "../../testing/judge-server.ts";
import type { TrainingDeps } from "../deps.ts";
import { createRunRecord, type RunRecord } from "../run-record.ts";
import { Trainer } from "../trainer.ts";
import { createJudgeMeter } from "./judge-meter.ts";
import { createJudge } from "./registry.ts";
import { createVerdictCache } from "./verdict-cache.ts";

const STEPS = 4;
const criterion = (id: string, text: string, more: object = {}): object => ({
  id,
  text,
  category: "all",
  weight: 1,
  ...more,
});
const judged = {
  rubric: {
    title: "Judged",
    criteria: [
      criterion("refund", "says refund"),
      criterion("um", "says um", { penalty: true }),
      criterion("ends", "ends", { check: { type: "ends" } }),
    ],
  },
};
const saysWord = (text: string, answer: string): boolean =>
  answer.split(" ").includes(text.replace("says ", ""));

function judgeOf(spec: JudgeSpec): NonNullable<TrainingDeps["judge"]> {
  const cache = createVerdictCache();
  return createJudge(spec, {
    fetch,
    sleep: () => Promise.resolve(),
    wallClock: () => 0,
    keyFor: () => null,
    budget: () => ({ maxCalls: null, maxTotalTokens: null }),
    meter: createJudgeMeter(),
    cacheFor: () => Promise.resolve(cache),
    seed: 1,
    model: () => Promise.reject(new Error("no model")),
  });
}

interface Options extends JudgeServerOptions {
  readonly style?: "criterion" | "rubric";
  /** Of the held-out judge; left out = the training's. */
  readonly heldOut?: JudgeServerOptions;
}

async function run({ style = "criterion", heldOut, ...options }: Options): Promise<RunRecord> {
  const servers = [await startJudgeServer({ met: saysWord, ...options })];
  if (heldOut !== undefined) servers.push(await startJudgeServer(heldOut));
  const judges = servers.map(({ url }) =>
    judgeOf(endpointJudgeSchema.parse({ kind: "endpoint", url, model: "m", style })),
  );
  const deps = { ...fakeDeps(), judge: judges[0] ?? null, heldOutJudge: judges[1] ?? null };
  const trainer = new Trainer(
    deps,
    createRunRecord("r", fakeSpec(judged, { max_steps: STEPS }), deps.policy),
  );
  await trainer.evaluate();
  while (!trainer.finished) {
    await trainer.step();
    await trainer.evaluate();
  }
  for (const server of servers) await server.close();
  return trainer.record;
}

const numbers = ({ rows, arms }: RunRecord): unknown => [
  rows.map((row) => ("metrics" in row ? { ...row, metrics: { ...row.metrics, step_time: null } } : row)),
  arms.map(({ adapter }) => adapter),
];
const stepsOf = ({ rows }: RunRecord): ArmStep[] => rows.filter((row) => row.kind === "step");
const evaluationsOf = ({ rows }: RunRecord): Evaluation[] => rows.filter((row) => row.kind === "evaluation");

test.each(["criterion", "rubric"] as const)(
  "by %s: the run repeats to the last bit, whatever order and tries its calls take",
  async (style) => {
    const first = await run({ style });
    const again = await run({
      style,
      delayMs: 3,
      misbehave: (_, at) => (at % 5 === 1 ? { kind: "status", status: 503 } : null),
    });
    expect(numbers(again)).toEqual(numbers(first));
    expect(stepsOf(first).every(({ criteria }) => criteria.every(({ judged: count }) => count === 8))).toBe(
      true,
    );
  },
);

test("verdicts are kept with the rollouts: what the judge said, a penalty turned round, each with its reason", async () => {
  const { newest } = await run({});
  for (const { text, verdicts, reasons } of newest.flatMap(({ rollouts }) => rollouts)) {
    expect(verdicts[0]).toBe(saysWord("says refund", text) ? 1 : 0);
    expect(verdicts[1]).toBe(saysWord("says um", text) ? 0 : 1);
    expect(reasons[0]).toContain("by the rule");
  }
});

test("missing verdicts leave their criterion out and are counted; they are never 0", async () => {
  const record = await run({
    misbehave: ({ criteria, answer }) =>
      criteria[0] === "says refund" && answer.length % 2 === 0 ? { kind: "says", text: "hm" } : null,
  });
  const steps = stepsOf(record);
  const missing = steps.reduce((sum, { metrics }) => sum + (metrics["judge/missing"] ?? 0), 0);
  expect(missing).toBeGreaterThan(0);
  expect(steps.every(({ metrics }) => metrics["judge/missing"] === metrics["judge/failed"])).toBe(true);
  for (const { rollouts } of record.newest)
    for (const { text, verdicts, reward } of rollouts) {
      if (text.length % 2 === 0) expect(verdicts[0]).toBeNull();
      expect(reward).not.toBeNull();
    }
});

test("held-out answers are judged by their own judge, training by the other", async () => {
  const record = await run({ heldOut: { met: () => true } });
  const heldOut = evaluationsOf(record).flatMap(({ criteria }) => criteria);
  expect(heldOut.filter(({ id }) => id === "refund").every(({ passRate }) => passRate === 1)).toBe(true);
  expect(heldOut.filter(({ id }) => id === "um").every(({ passRate }) => passRate === 0)).toBe(true);
  const trained = stepsOf(record).map(
    ({ criteria }) => criteria.find(({ id }) => id === "refund")?.passRate ?? 0,
  );
  expect(Math.min(...trained)).toBeLessThan(1);
});

test("a specification holds its judges through a file, and no key or address with one", () => {
  const spec = fakeSpec({
    ...judged,
    judge: { kind: "endpoint", url: "http://localhost:1/v1", model: "m", maxCalls: 5 },
    heldOutJudge: { kind: "local" },
  });
  expect(parseRunSpec(JSON.stringify(spec))).toEqual(spec);
  expect(spec.heldOutJudge).toEqual({ kind: "local", model: "base", threshold: 0.5 });
  expect(() => parseRunSpec({ ...spec, judge: { ...spec.judge, key: "sk-1" } })).toThrow(/key/);
  for (const url of [
    "ftp://x/v1",
    "http://me:secret@host/v1",
    "https://host/v1?key=1",
    "https://host/v1#k",
    "x",
  ])
    expect(judgeSpecSchema.safeParse({ kind: "endpoint", url, model: "m" }).success).toBe(false);
});
