/**
 * Whether what a pass computed can be trained on: finite, and within the bounds that say that a run has come apart. What is
 * not stops the step before it changes anything, and names step, seed, arm and the adapter's tensor. Knows no storage.
 */
import { PlaygroundError, type ErrorCode } from "../base/errors.ts";
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { AdapterTensor, GradientResult } from "./policy.ts";

type Bounds = Pick<GrpoConfig, "divergence_loss" | "divergence_grad_norm">;

/** Root of the sum of squares. */
export function normOf(values: Float32Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
}

/**
 * @param where step, seed and arm
 * @throws PlaygroundError `not-finite` or `diverged`
 */
export function checkGradient(
  { loss, gradient }: GradientResult,
  tensors: readonly AdapterTensor[],
  bounds: Bounds,
  where: string,
): void {
  checkAllFinite(Float32Array.of(loss), [], `${where}, loss`);
  checkAllFinite(gradient, tensors, `${where}, gradient`);
  const { divergence_loss: mostLoss, divergence_grad_norm: mostNorm } = bounds;
  if (mostLoss !== null && Math.abs(loss) > mostLoss) {
    throw stopped("diverged", `${where}, loss`, `at most ${mostLoss} (divergence_loss)`, loss);
  }
  const norm = normOf(gradient);
  if (mostNorm !== null && norm > mostNorm) {
    const place = `${where}, gradient${largestOf(gradient, tensors)}`;
    throw stopped("diverged", place, `a norm of at most ${mostNorm} (divergence_grad_norm)`, norm);
  }
}

/** @throws PlaygroundError `not-finite`, naming the tensor that the first such number stands in */
export function checkAllFinite(values: Float32Array, tensors: readonly AdapterTensor[], where: string): void {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at === -1) return;
  const tensor = tensors.find(({ offset, length }) => at >= offset && at < offset + length);
  const place = tensor === undefined ? where : `${where} of ${tensor.name}`;
  throw stopped("not-finite", place, "a finite number", values[at] ?? Number.NaN);
}

/** The tensor whose part of the gradient is longest. */
function largestOf(gradient: Float32Array, tensors: readonly AdapterTensor[]): string {
  const lengths = tensors.map(({ offset, length }) => normOf(gradient.subarray(offset, offset + length)));
  const largest = tensors[lengths.indexOf(Math.max(...lengths))];
  return largest === undefined ? "" : ` (largest in ${largest.name})`;
}

function stopped(code: ErrorCode, where: string, expected: string, got: number): PlaygroundError {
  return new PlaygroundError({
    code,
    where,
    expected,
    got: String(got),
    next: "The run stands at its last good step; a lower learning rate usually helps.",
  });
}
