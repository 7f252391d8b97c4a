/** The committed modules of the kernels are what the compiler makes of their source. */
import { expect, test } from "vitest";
import { buildKernels, committedKernels, KERNEL_MODULES } from "./build.ts";

test.each(KERNEL_MODULES)("%s is built from the source as it stands", async (module) => {
  const built = await buildKernels(module);
  expect(built.length).toBeGreaterThan(1000);
  const same = Buffer.from(built).equals(Buffer.from(committedKernels(module)));
  expect(same, "run npx tsx scripts/kernels/build.ts, and commit the modules with the source").toBe(true);
});

test("no two builds are one and the same", () => {
  const builds = KERNEL_MODULES.map((module) => Buffer.from(committedKernels(module)).toString("base64"));
  expect(new Set(builds).size).toBe(KERNEL_MODULES.length);
});
