/** The engine contract on onnxruntime-web's WASM build with two threads; a file of its own, since a page keeps its first number. */
import { describe, expect, test } from "vitest";
import { testEngineContract } from "../../testing/engine-contract.ts";
import { openBrowserEngine } from "./ort-browser.ts";

describe("engine on WASM, two threads", () => {
  testEngineContract(() => openBrowserEngine("wasm", { threads: 2 }));

  test("says that it has two threads, since the page may share memory", async () => {
    expect(globalThis.crossOriginIsolated).toBe(true);
    const engine = await openBrowserEngine("wasm", { threads: 2 });
    expect(engine.info.threads).toBe(2);
    await engine.dispose();
  });
});
