/** Our kernels in the page's own browser: the engine contract, and both builds of the module on every operator's cases. */
import { describe, expect, test } from "vitest";
import { testEngineContract } from "../../testing/engine-contract.ts";
import { everyKernel } from "../../testing/every-kernel.ts";
import { expectCloseWhereDefined } from "../../testing/graph/expect-close.ts";
import { caseGraph, gradientGraph, hostFeeds } from "../../testing/graph/op-case.ts";
import { OP_CASES } from "../../testing/graph/op-cases.ts";
import { runOn } from "../../testing/kernel-runs.ts";
import type { Engine } from "../runtime/engine.ts";
import { createKernelEngine } from "./kernel-engine.ts";
import { openKernelEngine } from "./kernels-browser.ts";
import plainUrl from "./kernels.wasm?url";
import relaxedUrl from "./kernels-relaxed.wasm?url";
import { hasRelaxedSimd, type Kernels } from "./module.ts";

const openBuild = async (url: string): Promise<Engine> =>
  createKernelEngine(await (await fetch(url)).arrayBuffer());

describe("the engine that the page opens", () => {
  testEngineContract(openKernelEngine);
});

describe("the build for browsers without relaxed SIMD", () => {
  testEngineContract(() => openBuild(plainUrl));
});

describe("two threads", () => {
  const openTwo = (): Promise<Engine> => openKernelEngine({ threads: 2 });
  testEngineContract(openTwo);

  test("give the same bits as one", async () => {
    const [one, two] = [await openKernelEngine({ threads: 1 }), await openTwo()];
    expect([one.info.threads, two.info.threads]).toEqual([1, 2]);
    const { graph, feeds } = everyKernel(5);
    const wanted = await runOn(one, graph, feeds);
    for (let i = 0; i < 5; i++) expect(await runOn(two, graph, feeds)).toEqual(wanted);
    const { kernels } = two as unknown as { readonly kernels: Kernels };
    expect(kernels.helpedPieces()).toBeGreaterThan(0);
    await Promise.all([one.dispose(), two.dispose()]);
  });
});

test("this browser takes the faster build", () => {
  expect(hasRelaxedSimd()).toBe(true);
});

test("both builds give the same values and gradients", async () => {
  const [plain, relaxed] = [await openBuild(plainUrl), await openBuild(relaxedUrl)];
  const cases = OP_CASES.filter(({ op }) => op !== "loop");
  for (const opCase of cases) {
    const { graph } = opCase.differentiable ? gradientGraph(opCase) : caseGraph(opCase);
    const run = async (engine: Engine): Promise<[string, number[]][]> => {
      const session = await engine.compile(graph, { name: opCase.title });
      const out = await session.run(hostFeeds(opCase, graph));
      await session.dispose();
      return Object.entries(out).map(([name, tensor]) => {
        if ("device" in tensor) throw new Error(`${name} stayed on the device`);
        return [name, Array.from<number | bigint, number>(tensor.data, Number)];
      });
    };
    const wanted = Object.fromEntries(await run(plain));
    const defined = opCase.op === "groupQueryAttention" ? opCase.expected : [];
    for (const [name, got] of await run(relaxed)) {
      // places of a cache that hold nothing may hold anything
      const known = defined[Number(name.slice(1))]?.data;
      const other = (wanted[name] ?? []).map((x, i) => (Number.isNaN(known?.[i]) ? NaN : x));
      expectCloseWhereDefined(got, other, 1e-5);
    }
  }
  expect(cases.length).toBeGreaterThan(90);
  await plain.dispose();
  await relaxed.dispose();
});
