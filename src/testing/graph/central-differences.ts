/** A case's gradient by central differences: what gradient rules, right and wrong ones, are held to. */
import { interpret } from "../../engine/graph/interpreter.ts";
import type { Graph } from "../../engine/graph/ir.ts";
import type { refFeeds } from "./op-case.ts";

/** d loss / d input `name`, in float64; the graph's loss is linear in the case's outputs, so that only the op bends it. */
export function differences(graph: Graph, feeds: ReturnType<typeof refFeeds>, name: string): number[] {
  const h = 1e-5;
  const feed = feeds[name];
  if (feed === undefined) throw new Error(name);
  const lossAt = (i: number, x: number): number => {
    const data = [...feed.data];
    data[i] = x;
    return interpret(graph, { ...feeds, [name]: { dims: feed.dims, data } })["loss"]?.data[0] ?? NaN;
  };
  return feed.data.map((x, i) => (lossAt(i, x + h) - lossAt(i, x - h)) / (2 * h));
}
