/** The operator cases on WebGPU (software adapter): values and gradients agree with float64, and nodes stay on the GPU. */
import { afterAll, expect, test } from "vitest";
import { expectClose, expectCloseWhereDefined } from "../../../testing/graph/expect-close.ts";
import { caseGraph, gradientGraph, hostFeeds, refFeeds } from "../../../testing/graph/op-case.ts";
import { OP_CASES } from "../../../testing/graph/op-cases.ts";
import { listenForPlacements } from "../../../testing/placement.ts";
import { openBrowserEngine } from "../../runtime/ort-browser.ts";
import { interpret } from "../interpreter.ts";

const placements = listenForPlacements();
const engine = await openBrowserEngine("webgpu", { verbose: true });
afterAll(() => engine.dispose());

/** Cases with a node beside the GPU: moves and casts of int64 tensors, and control flow. */
const BESIDE_GPU = [
  "gather along the middle by int64",
  "topK",
  "a loop whose carried value grows, with an early end",
  "a loop that ends by its number of trips and hands a value through",
];

test.each(OP_CASES)("$op: $title", async (opCase) => {
  const { graph } = opCase.differentiable ? gradientGraph(opCase) : caseGraph(opCase);
  const wanted = interpret(graph, refFeeds(opCase));
  placements.take();
  const session = await engine.compile(graph, { name: opCase.title });
  const providers = placements.take().flatMap((placement) => Object.keys(placement));
  expect(providers).toContain("WebGpuExecutionProvider");
  expect(providers.includes("CPUExecutionProvider")).toBe(BESIDE_GPU.includes(opCase.title));
  const outputs = await session.run(hostFeeds(opCase, graph));
  const compare = opCase.op === "groupQueryAttention" ? expectCloseWhereDefined : expectClose;
  for (const [name, { dims, data }] of Object.entries(wanted)) {
    const got = outputs[name];
    if (got === undefined || "device" in got) throw new Error(`${name} did not come back`);
    expect(got.dims).toEqual(dims);
    compare(Array.from<number | bigint, number>(got.data, Number), data, 2e-5);
  }
  await session.dispose();
});
