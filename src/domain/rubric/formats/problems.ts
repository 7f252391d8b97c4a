/** Collects what is wrong with a file, with its place, so that all of it is told at once. */
import type { z } from "zod";
import { problemsOf, type Problem } from "../schema-problems.ts";

/** A file with something wrong in every row would make millions of them; the error lists 20. */
const MOST_KEPT = 1000;

export class Problems {
  readonly list: Problem[] = [];
  readonly #notes = new Map<string, number>();

  add(path: string, expected: string, got: string): void {
    if (this.list.length < MOST_KEPT) this.list.push({ path, expected, got });
  }

  /** Something that a person should know and that stops nothing; said once, with how often it came. */
  note(words: string): void {
    this.#notes.set(words, (this.#notes.get(words) ?? 0) + 1);
  }

  notes(): readonly string[] {
    return [...this.#notes].map(([words, times]) => (times === 1 ? words : `${words} (${times} times)`));
  }

  /** The value by a schema, or null with its problems added below `where`. */
  read<T>(schema: z.ZodType<T>, value: unknown, where: string): T | null {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    for (const { path, expected, got } of problemsOf(result.error, value)) {
      this.add(path === "" ? where : below(where, path), expected, got);
    }
    return null;
  }
}

/** A field's place below a row's: `row 3 (line 5), rubrics[2].points`. */
export function below(where: string, path: string): string {
  return where === "" ? path : `${where}, ${path}`;
}
