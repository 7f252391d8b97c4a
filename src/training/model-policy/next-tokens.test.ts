/** What may follow given texts: by every plan and with the head cut, the log-probabilities that scoring the whole texts gives. */
import { expect, test } from "vitest";
import { FIXTURE_MODELS, readModelFixture } from "../../testing/model-fixtures.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { createModelPolicy } from "./create.ts";
import { PLAN_NAMES } from "./plan-choice.ts";

const WORDS = Int32Array.of(3, 11, 5);
const GROUPS = [
  { prompt: Int32Array.of(7, 1, 4), completions: [Int32Array.of(9, 2, 6, 5), Int32Array.of(8)] },
  { prompt: Int32Array.of(2, 2, 3, 6, 1), completions: [Int32Array.of(4, 4), Int32Array.of(13, 12, 1)] },
];

const cases = NODE_ENGINES.flatMap(([engine, open]) =>
  FIXTURE_MODELS.flatMap((model) => PLAN_NAMES.map((plan) => ({ engine, open, model, plan }))),
);

test.each(cases)("$model by the $plan plan on $engine", async ({ open, model, plan }) => {
  const { config, weights, lora } = readModelFixture(model);
  const engine = await open();
  for (const largestTableBytes of [undefined, 4 * config.hiddenSize * 7]) {
    const policy = createModelPolicy({
      engine,
      model: { config, weights, endTokenIds: [0] },
      ...{ lora, plan, maxPositions: 32 },
      ...(largestTableBytes === undefined ? {} : { largestTableBytes }),
    });
    const asked = await policy.nextTokens(GROUPS, WORDS);
    for (const [w, word] of WORDS.entries()) {
      const whole = GROUPS.map(({ prompt, completions }) => ({
        prompt,
        completions: completions.map((tokens) => Int32Array.from([...tokens, word])),
      }));
      const scored = await policy.logProbs(whole, null, 1);
      scored.forEach((group, p) => {
        group.forEach((row, g) => {
          expect(asked[p]?.[g]?.[w]).toBeCloseTo(row.at(-1) ?? NaN, 4);
        });
      });
    }
    expect(asked[0]?.[0]?.[0]).not.toBeCloseTo(asked[0]?.[1]?.[0] ?? NaN, 3); // the control
    await policy.dispose();
  }
  await engine.dispose();
});
