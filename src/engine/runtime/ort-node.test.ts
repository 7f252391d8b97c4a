/** The engine contract on onnxruntime-node. */
import { describe, expect, test } from "vitest";
import { testEngineContract } from "../../testing/engine-contract.ts";
import { openNodeEngine } from "./ort-node.ts";

describe("engine on onnxruntime-node", () => {
  testEngineContract(() => Promise.resolve(openNodeEngine(1)));

  test("says what it is", async () => {
    const engine = openNodeEngine(2);
    expect(engine.info).toEqual({ kind: "cpu", threads: 2, adapter: null, software: false });
    await engine.dispose();
  });
});
