import { expect, test } from "vitest";
import { fakeSpec } from "../testing/fake-run.ts";
import { shareSamples } from "./held-out.ts";

const prompts = fakeSpec().heldOutPrompts;

function perPrompt(samples: number): number[] {
  const shares = shareSamples(prompts, samples, 1);
  return prompts.map((prompt) =>
    shares.reduce((sum, share) => sum + (share.prompts.includes(prompt) ? share.each : 0), 0),
  );
}

test.each([1, 3, 4, 7, 16, 33])(
  "spreads %i samples evenly over as many prompts as can have four each",
  (samples) => {
    const counts = perPrompt(samples);
    const used = counts.filter((count) => count > 0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(samples);
    expect(used).toHaveLength(Math.min(4, Math.ceil(samples / 4)));
    expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(1);
  },
);
