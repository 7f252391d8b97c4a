/** The engine contract on our own kernels, on both builds of the module. */
import { describe, expect, test } from "vitest";
import { testEngineContract } from "../../testing/engine-contract.ts";
import { openKernelEngine } from "./kernels-node.ts";

describe.each(["kernels-relaxed", "kernels"] as const)("engine on %s", (build) => {
  testEngineContract(() => openKernelEngine(build));

  test("says what it is", async () => {
    const engine = await openKernelEngine(build);
    expect(engine.info).toEqual({ kind: "kernels", threads: 1, adapter: null, software: false });
    await engine.dispose();
  });
});
