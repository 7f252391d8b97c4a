import { expect, test } from "vitest";
import { createLock } from "./lock.ts";

test("tasks take turns, and one that fails does not hold up the next", async () => {
  const lock = createLock();
  const order: string[] = [];
  const task =
    (name: string, fails = false) =>
    async (): Promise<string> => {
      order.push(`${name} in`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      order.push(`${name} out`);
      if (fails) throw new Error(name);
      return name;
    };
  const all = [lock(task("a")), lock(task("b", true)), lock(task("c"))];
  expect((await Promise.allSettled(all)).map((each) => each.status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(order).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
});
