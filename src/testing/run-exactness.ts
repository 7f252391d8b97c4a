/** Runs that must repeat to the last bit on a real engine: resumed beside uninterrupted, two arms beside each alone. */
import { expect, test } from "vitest";
import type { RunSpec } from "../domain/run/spec.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { openRecord, sealRecord } from "../training/checkpoints.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import { createRunRecord, type RunRecord } from "../training/run-record.ts";
import { Trainer } from "../training/trainer.ts";
import { FAKE_WORDS, fakeCodec } from "./fake-policy.ts";
import { fakeChecks, fakeSpec } from "./fake-run.ts";
import { randomWeights, TINY_END, tinyConfig } from "./tiny-model.ts";

const STEPS = 3;
const config = tinyConfig("qwen3", FAKE_WORDS.length);
const weights = randomWeights(config);

/** Two prompts a step, two passes each, the KL term, evaluations on the way; rewards vary within the groups. */
const SPEC = fakeSpec(
  { evaluateEvery: 2, evaluationSamples: 8 },
  {
    prompts_per_step: 2,
    num_generations: 4,
    num_iterations: 2,
    beta: 0.05,
    learning_rate: 5e-3,
    max_steps: STEPS,
    lora: { r: 2, lora_alpha: 4 },
  },
);

/** Opens an engine and policy of its own for each trainer: nothing may hang on compiled graphs or warm caches. */
async function advance(
  open: () => Promise<Engine>,
  start: RunRecord | RunSpec,
  toStep: number,
  onStep?: (record: RunRecord) => void,
): Promise<RunRecord> {
  const engine = await open();
  const model = { config, weights, endTokenIds: TINY_END };
  const policy = createModelPolicy({ engine, model, lora: SPEC.grpo.lora, maxPositions: 32 });
  const record = "arms" in start && "step" in start ? start : createRunRecord("run", start, policy);
  const trainer = new Trainer({ policy, codec: fakeCodec, checks: fakeChecks, now: () => 0 }, record);
  await trainer.evaluate();
  while (trainer.record.step < toStep) {
    await trainer.step();
    await trainer.evaluate();
    onStep?.(trainer.record);
  }
  await engine.dispose();
  return trainer.record;
}

/** Registers the tests; each trainer gets an engine of its own. */
export function testRunExactness(open: () => Promise<Engine>): void {
  let uninterrupted: Promise<RunRecord> | null = null;
  const trained = (): Promise<RunRecord> => (uninterrupted ??= advance(open, SPEC, STEPS));

  test("a resumed run repeats an uninterrupted one to the last bit", async () => {
    const whole = await trained();
    const rows = whole.rows.filter((row) => row.kind === "step");
    expect(rows.some((row) => !row.zeroSignal)).toBe(true); // adapters moved
    const saved = sealRecord(await advance(open, SPEC, 1));
    expect(await advance(open, openRecord(saved, "test"), STEPS)).toEqual(whole);
  });

  test("two arms train as each would alone, to the last bit", async () => {
    const both = await trained();
    expect(both.arms[0]?.adapter).not.toEqual(both.arms[1]?.adapter);
    for (const arm of SPEC.arms) {
      const alone = await advance(open, { ...SPEC, arms: [arm] }, STEPS);
      expect(both.arms.find((each) => each.id === arm.id)).toEqual(alone.arms[0]);
      const own = ({ rows }: RunRecord) => rows.filter((row) => "arm" in row && row.arm === arm.id);
      expect(own(both)).toEqual(own(alone));
    }
  });
}

/** For engines that sum in an order of their own: two steps, the second after a reload between them. */
export function testResumedWithin(tolerance: number, open: () => Promise<Engine>): void {
  const spec = { ...SPEC, grpo: { ...SPEC.grpo, num_iterations: 1, beta: 0, max_steps: 2 } };

  test(`a run resumed after a reload gives the numbers of an uninterrupted one within ${tolerance}`, async () => {
    const saved: Uint8Array[] = [];
    const whole = await advance(open, spec, 2, (record) => void saved.push(sealRecord(record)));
    const resumed = await advance(open, openRecord(saved[0] ?? new Uint8Array(), "test"), 2);
    expect(whole.rows.some((row) => row.kind === "step" && row.step === 2 && !row.zeroSignal)).toBe(true);
    expect(farthest(resumed, whole)).toBeLessThan(tolerance);
  });
}

/** The largest distance between numbers in the same place, relative where they are large; Infinity where anything else differs. */
function farthest(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) / Math.max(1, Math.abs(b));
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return a === b ? 0 : Infinity;
  const [own, other] = [Object.entries(a), new Map(Object.entries(b))];
  if (own.length !== other.size) return Infinity;
  return own.reduce((most, [key, value]) => Math.max(most, farthest(value, other.get(key))), 0);
}
