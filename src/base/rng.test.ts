import { describe, expect, it } from "vitest";
import { createRng, fillUniform, restoreRng } from "./rng.ts";

describe("fillUniform", () => {
  it("gives the numbers of next, call after call, and the state after them", () => {
    for (const seed of [0, 1, 4294967295]) {
      const rng = createRng(seed, "many");
      let state = rng.state();
      for (const length of [1, 7, 5000]) {
        const many = new Float64Array(length);
        state = fillUniform(state, many);
        expect([...many]).toEqual(Array.from({ length }, () => rng.next()));
        expect(state).toEqual(rng.state());
      }
      expect(restoreRng(state).next()).toBe(rng.next());
    }
  });
});
