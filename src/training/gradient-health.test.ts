import { describe, expect, test } from "vitest";
import { checkAllFinite, checkGradient } from "./gradient-health.ts";
import type { AdapterTensor } from "./policy.ts";

const TENSORS = [
  { name: "first", offset: 0, length: 2 },
  { name: "second", offset: 2, length: 3 },
] as unknown as readonly AdapterTensor[];

describe("a number that is not finite", () => {
  test.each([
    [0, "first"],
    [1, "first"],
    [2, "second"],
    [4, "second"],
  ])("at %i is named by the tensor that holds it", (at, name) => {
    const values = new Float32Array(5);
    values[at] = Number.NaN;
    expect(() => {
      checkAllFinite(values, TENSORS, "step 3");
    }).toThrow(new RegExp(`^step 3 of ${name}: expected a finite number, got NaN`));
  });
});

describe("bounds", () => {
  const bounds = { divergence_loss: 10, divergence_grad_norm: 5 };
  const check = (loss: number, ...gradient: number[]) => {
    checkGradient({ loss, gradient: Float32Array.from(gradient) } as never, TENSORS, bounds, "step 3");
  };

  test("hold at the bound itself, on both sides of 0", () => {
    check(10, 3, 4);
    check(-10, -3, 0, 4);
  });

  test("name the loss, or the tensor with the longest gradient", () => {
    expect(() => {
      check(-10.5, 0);
    }).toThrow(/step 3, loss: expected at most 10 \(divergence_loss\), got -10.5/);
    expect(() => {
      check(0, 3, 0, 5, 0, 0);
    }).toThrow(/gradient \(largest in second\)/);
  });
});
