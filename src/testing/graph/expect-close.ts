/** Lists of numbers compared one by one. */
import { expect } from "vitest";

/** As `expectClose`, but where NaN is wanted anything goes. */
export function expectCloseWhereDefined(
  got: ArrayLike<number>,
  wanted: ArrayLike<number>,
  tolerance: number,
): void {
  const lax = Array.from(got, (x, i) => (Number.isNaN(wanted[i]) ? 0 : x));
  expectClose(
    lax,
    Array.from(wanted, (x) => (Number.isNaN(x) ? 0 : x)),
    tolerance,
  );
}

/** Within a tolerance that is absolute below 1 and relative above; NaN is never close. */
export function expectClose(got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number): void {
  expect(got.length).toBe(wanted.length);
  for (let i = 0; i < wanted.length; i++) {
    const [a = NaN, b = NaN] = [got[i], wanted[i]];
    const error = Math.abs(a - b) / Math.max(1, Math.abs(b));
    if (!(error <= tolerance))
      expect.fail(`element ${i}: got ${a}, wanted ${b} (error ${error}, allowed ${tolerance})`);
  }
}
