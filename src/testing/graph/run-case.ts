/** A case's graph on an engine; outputs as plain numbers. */
import type { Graph } from "../../engine/graph/ir.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { hostFeeds, type OpCase } from "./op-case.ts";

export async function runCase(
  engine: Engine,
  graph: Graph,
  opCase: OpCase,
): Promise<Record<string, { dims: readonly number[]; data: number[] }>> {
  const session = await engine.compile(graph, { name: opCase.title });
  const outputs = await session.run(hostFeeds(opCase, graph));
  await session.dispose();
  return Object.fromEntries(
    Object.entries(outputs).map(([name, tensor]) => {
      if ("device" in tensor) throw new Error("a host tensor was expected");
      return [name, { dims: tensor.dims, data: Array.from<number | bigint, number>(tensor.data, Number) }];
    }),
  );
}
