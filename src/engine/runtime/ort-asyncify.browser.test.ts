/** The engine contract on WebGPU in a browser without JSPI, which gets the Asyncify build. */
import { beforeAll, describe, expect, test } from "vitest";
import { testEngineContract } from "../../testing/engine-contract.ts";
import { openBrowserEngine } from "./ort-browser.ts";

describe("engine on WebGPU without JSPI", () => {
  beforeAll(() => {
    Reflect.deleteProperty(WebAssembly, "Suspending");
  });

  testEngineContract(() => openBrowserEngine("webgpu"));

  test("loaded the Asyncify build", () => {
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    expect(loaded.filter((url) => /asyncify\.wasm$/.test(url))).not.toEqual([]);
    expect(loaded.filter((url) => /jspi\.wasm$/.test(url))).toEqual([]);
  });
});
