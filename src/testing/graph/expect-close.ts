/** Number by number within a tolerance that is absolute below 1 and relative above. */
import { expect } from "vitest";

export function expectClose(got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number): void {
  expect(got.length).toBe(wanted.length);
  for (let i = 0; i < wanted.length; i++) {
    const [a = NaN, b = NaN] = [got[i], wanted[i]];
    const error = Math.abs(a - b) / Math.max(1, Math.abs(b));
    if (!(error <= tolerance))
      expect.fail(`element ${i}: got ${a}, wanted ${b} (error ${error}, allowed ${tolerance})`);
  }
}
