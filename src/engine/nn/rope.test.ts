/** RoPE's tables beside transformers' own (scripts/fixtures/make_rope_fixtures.py), read through config.json's fields. */
import { describe, expect, it } from "vitest";
import fixture from "../../testing/fixtures/rope.json" with { type: "json" };
import { readHfConfig } from "../weights/hf-config.ts";
import { ropeFrequencies, ropeTables } from "./rope.ts";

/** A float32's share of rounding. */
const ROUNDING = 2 ** -23;

const largest = (differences: readonly number[]): number => Math.max(...differences.map(Math.abs));

describe.each(fixture.cases)("RoPE, $name", ({ config, frequencies, exact, attention, ...tables }) => {
  const model = readHfConfig(config, null, "m").config;
  const own = ropeFrequencies(model);

  it("has transformers' frequencies and attention scaling", () => {
    expect(own).toHaveLength(exact.length);
    expect(largest(exact.map((value, i) => (own[i] ?? NaN) / value - 1))).toBeLessThan(1e-12);
    expect(largest(frequencies.map((value, i) => (own[i] ?? NaN) / value - 1))).toBeLessThan(1e-6);
    const scale = Math.hypot(ropeTables(model, 1).cos[0] ?? NaN, ropeTables(model, 1).sin[0] ?? NaN);
    expect(scale).toBeCloseTo(attention, 12);
  });

  it("has transformers' tables: of its functions in float64 to 1e-6, of its float32 to the rounding of an angle", () => {
    const half = exact.length;
    const { cos, sin } = ropeTables(model, 1 + Math.max(...tables.positions));
    for (const [row, p] of tables.positions.entries()) {
      for (const [i, frequency] of exact.entries()) {
        const [c, s] = [cos[p * half + i] ?? NaN, sin[p * half + i] ?? NaN];
        const angle = p * frequency;
        expect(Math.abs(c - attention * Math.cos(angle))).toBeLessThan(1e-6);
        expect(Math.abs(s - attention * Math.sin(angle))).toBeLessThan(1e-6);
        const slack = attention * (1e-6 + 2 * ROUNDING * angle);
        expect(Math.abs(c - (tables.cos[row]?.[i] ?? NaN)), `cos of ${p}, ${i}`).toBeLessThan(slack);
        expect(Math.abs(s - (tables.sin[row]?.[i] ?? NaN)), `sin of ${p}, ${i}`).toBeLessThan(slack);
      }
    }
  });
});

describe("ggml's factors", () => {
  it("divide each frequency before it is scaled", () => {
    const plain = { headDim: 4, ropeTheta: 100, ropeFrequencyFactors: [1, 8] };
    expect([...ropeFrequencies(plain)]).toEqual([1, 0.1 / 8]);
    expect([...ropeFrequencies({ ...plain, ropeScaling: { type: "linear", factor: 2 } })]).toEqual([
      0.5,
      0.1 / 16,
    ]);
  });
});
