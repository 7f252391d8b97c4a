/** What a machine without a browser's features is told. */
import { expect, test } from "vitest";
import { describeMachine, openGpu } from "./device.ts";

test("reports what is missing, and goes on with one thread", async () => {
  const machine = await describeMachine();
  expect(machine).toMatchObject({ gpu: null, threads: 1, crossOriginIsolated: false });
});

test("names the missing WebGPU when a GPU is asked for", async () => {
  await expect(openGpu()).rejects.toMatchObject({ code: "webgpu-missing" });
});
