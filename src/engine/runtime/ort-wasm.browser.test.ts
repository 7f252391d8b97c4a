/** The engine contract on onnxruntime-web's WASM build with one thread. */
import { describe, expect, test } from "vitest";
import { testEngineContract, testOnnxContract } from "../../testing/engine-contract.ts";
import { openBrowserEngine } from "./ort-browser.ts";

describe("engine on WASM, one thread", () => {
  testEngineContract(() => openBrowserEngine("wasm", { threads: 1 }));
  testOnnxContract(() => openBrowserEngine("wasm", { threads: 1 }));

  test("says what it is", async () => {
    const engine = await openBrowserEngine("wasm", { threads: 1 });
    expect(engine.info).toEqual({ kind: "wasm", threads: 1, adapter: null, software: false });
    await engine.dispose();
  });
});
