/** On which provider onnxruntime placed the nodes of every graph that a policy runs on WebGPU, read from its own log. */
import { adamwGraph } from "../../src/engine/nn/adamw.ts";
import type { Architecture } from "../../src/engine/nn/model-config.ts";
import { openBrowserEngine } from "../../src/engine/runtime/ort-browser.ts";
import { placementLog } from "../../src/testing/placement-log.ts";
import { ARCHITECTURES } from "../../src/testing/tiny-model.ts";
import { updateCase, webgpuGraphs } from "../../src/testing/update-plans.ts";

export interface PlacementResult {
  readonly graphs: number;
  readonly nodes: number;
  /** Graphs with a node elsewhere, e.g. "qwen3 score: CPUExecutionProvider 2". */
  readonly elsewhere: readonly string[];
}

/** Both plans, rollouts and the optimizer, for each architecture. Needs a worker in which no engine has been opened. */
export async function checkPlacement(): Promise<PlacementResult> {
  const log = placementLog();
  console.error = (...parts: unknown[]) => {
    log.read(parts.join(" "));
  };
  const engine = await openBrowserEngine("webgpu", { verbose: true });
  let graphs = 0;
  let nodes = 0;
  const elsewhere: string[] = [];
  for (const { architecture, graph, deviceOutputs } of ARCHITECTURES.flatMap(graphsOf)) {
    const session = await engine.compile(graph, { name: graph.name, deviceOutputs });
    await session.dispose();
    const placements = log.take();
    if (placements.length !== 1) elsewhere.push(`${architecture} ${graph.name}: no placement in the log`);
    for (const [provider, count] of placements.flatMap(Object.entries<number>)) {
      nodes += count;
      if (provider !== "WebGpuExecutionProvider")
        elsewhere.push(`${architecture} ${graph.name}: ${provider} ${count}`);
    }
    graphs += 1;
  }
  await engine.dispose();
  return { graphs, nodes, elsewhere };
}

function graphsOf(architecture: Architecture) {
  const given = updateCase(architecture);
  const settings = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };
  const optimizer = { graph: adamwGraph(given.adapter.length, settings), deviceOutputs: [] };
  return [...webgpuGraphs(given, false), ...webgpuGraphs(given, true), optimizer].map((each) => ({
    ...each,
    architecture,
  }));
}
