/** A graph on an engine beside the float64 interpreter, on the same feeds. */
import { expect } from "vitest";
import { interpret } from "../engine/graph/interpreter.ts";
import type { Graph } from "../engine/graph/ir.ts";
import type { HostTensor } from "../engine/graph/tensor.ts";
import type { CompileOptions, Engine } from "../engine/runtime/engine.ts";
import { expectClose } from "./graph/expect-close.ts";

export type Feeds = Readonly<Record<string, HostTensor>>;

/** Outputs by name as plain numbers; device outputs are read and released. */
export async function runOn(
  engine: Engine,
  graph: Graph,
  feeds: Feeds,
  options: Partial<CompileOptions> = {},
): Promise<Record<string, number[]>> {
  const session = await engine.compile(graph, { name: graph.name, ...options });
  const read = graph.inputs.map(({ name = "" }) => name).filter((name) => !options.weights?.has(name));
  const out = await session.run(Object.fromEntries(read.map((name) => [name, feeds[name] as HostTensor])));
  const numbers: Record<string, number[]> = {};
  for (const [name, tensor] of Object.entries(out)) {
    const host = "device" in tensor ? await engine.download(tensor) : tensor;
    if ("device" in tensor) engine.release(tensor);
    numbers[name] = Array.from<number | bigint, number>(host.data, Number);
  }
  await session.dispose();
  return numbers;
}

/** Expects every output to be the interpreter's, within a tolerance that is relative above 1. */
export async function expectInterpreted(
  engine: Engine,
  graph: Graph,
  feeds: Feeds,
  { tolerance = 1e-5, ...options }: Partial<CompileOptions> & { readonly tolerance?: number } = {},
): Promise<Record<string, number[]>> {
  const wanted = interpret(graph, feeds);
  const got = await runOn(engine, graph, feeds, options);
  expect(Object.keys(got)).toEqual(Object.keys(wanted));
  for (const [name, { data }] of Object.entries(wanted)) expectClose(got[name] ?? [], data, tolerance);
  return got;
}
