/** Assertions for what our own code guarantees. What a person or a file can get wrong is a PlaygroundError instead. */
import { PlaygroundError } from "./errors.ts";

/** Throws `internal` when a condition that our own code guarantees does not hold. */
export function invariant(condition: boolean, where: string, what: string): asserts condition {
  if (!condition) {
    throw new PlaygroundError({
      code: "internal",
      where,
      expected: what,
      got: "the opposite",
      next: "This is a defect of the playground: please report it.",
    });
  }
}

/** The value, or `internal` when it is undefined or null. */
export function defined<T>(value: T | undefined | null, where: string): T {
  invariant(value !== undefined && value !== null, where, "a value");
  return value;
}
