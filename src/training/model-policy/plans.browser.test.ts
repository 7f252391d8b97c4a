/**
 * Both plans in a browser: on WASM their numbers for each architecture, on WebGPU (here a software adapter) every graph
 * of both placed on the GPU, the numbers of one layered update with its head in chunks, and no buffer left.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../../engine/runtime/engine.ts";
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { interpretedGraphs } from "../../testing/interpreted-graphs.ts";
import { listenForPlacements } from "../../testing/placement.ts";
import { ARCHITECTURES } from "../../testing/tiny-model.ts";
import { planDistance, runPlan, updateCase, webgpuGraphs } from "../../testing/update-plans.ts";
import { compiledGraphs } from "./compiled-graphs.ts";
import { PLAN_NAMES } from "./plan-choice.ts";

const placements = listenForPlacements();

describe("WASM", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openBrowserEngine("wasm", { threads: 1 });
  });
  afterAll(() => engine.dispose());

  test.each(ARCHITECTURES)("updates a tiny %s the same by both plans", async (architecture) => {
    const given = updateCase(architecture);
    const exact = await runPlan(given, interpretedGraphs(given.weights), { plan: "whole", chunked: false });
    const graphs = compiledGraphs(engine, given.weights);
    for (const plan of PLAN_NAMES) {
      const run = await runPlan(given, { engine, graphs }, { plan, chunked: plan === "layered" });
      expect(planDistance(run, exact)).toBeLessThan(1e-5);
    }
    expect(engine.liveBuffers().count).toBe(0);
    await graphs.dispose();
  });
});

describe("WebGPU", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openBrowserEngine("webgpu", { threads: 1, verbose: true });
  });
  afterAll(() => engine.dispose());

  test.each(ARCHITECTURES)(
    "takes every node of both plans and of rollouts of a tiny %s",
    async (architecture) => {
      for (const chunked of [false, true]) {
        for (const { graph, deviceOutputs } of webgpuGraphs(updateCase(architecture), chunked)) {
          placements.take();
          const session = await engine.compile(graph, { name: graph.name, deviceOutputs });
          const placed = placements.take().map(Object.keys);
          expect({ name: graph.name, placed }).toEqual({
            name: graph.name,
            placed: [["WebGpuExecutionProvider"]],
          });
          await session.dispose();
        }
      }
    },
  );

  test("updates by the layered plan with its head in chunks, and gives every buffer back", async () => {
    const given = updateCase("qwen3");
    const exact = await runPlan(given, interpretedGraphs(given.weights), { plan: "whole", chunked: false });
    const graphs = compiledGraphs(engine, given.weights);
    const run = await runPlan(given, { engine, graphs }, { plan: "layered", chunked: true });
    expect(planDistance(run, exact)).toBeLessThan(1e-4);
    const weights = engine.liveBuffers();
    await runPlan(given, { engine, graphs }, { plan: "layered", chunked: true });
    expect(engine.liveBuffers()).toEqual(weights);
    await graphs.dispose();
    expect(engine.liveBuffers().count).toBe(0);
  });
});
