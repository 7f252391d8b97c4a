/**
 * Graphs as sessions of one engine, built when first asked for and kept while they are used. On the CPU side base
 * weights are initializers (packed once by the runtime); on WebGPU they are buffers uploaded once for all graphs.
 */
import { toOnnx } from "../../engine/graph/onnx.ts";
import type { Graph } from "../../engine/graph/ir.ts";
import type { HostTensor } from "../../engine/graph/tensor.ts";
import type { DeviceTensor, Engine, Session } from "../../engine/runtime/engine.ts";

type Feeds = Readonly<Record<string, HostTensor | DeviceTensor>>;

export interface CompiledGraph {
  /** Runs with the base weights added to the feeds that the graph still consumes. */
  run(feeds: Feeds, bind?: Readonly<Record<string, DeviceTensor>>): Promise<Feeds>;
}

export interface CompiledGraphs {
  /** The session under `key`, built by `make` the first time. */
  get(key: string, make: () => Graph, deviceOutputs?: readonly string[]): Promise<CompiledGraph>;
  dispose(): Promise<void>;
}

/** At most this many sessions are kept; the one unused longest goes first. */
const MOST_SESSIONS = 16;

export function compiledGraphs(engine: Engine, weights: ReadonlyMap<string, HostTensor>): CompiledGraphs {
  const sessions = new Map<string, { session: Session; graph: CompiledGraph }>();
  const buffers = new Map<string, DeviceTensor>();
  const onGpu = engine.info.kind === "webgpu";

  const weightFeed = (name: string): DeviceTensor | undefined => {
    const host = weights.get(name);
    if (!host || !onGpu) return undefined;
    let buffer = buffers.get(name);
    if (!buffer) buffers.set(name, (buffer = engine.upload(host)));
    return buffer;
  };

  const build = async (key: string, graph: Graph, deviceOutputs: readonly string[]): Promise<Session> => {
    const options = { name: key, deviceOutputs };
    return engine.load(onGpu ? toOnnx(graph) : toOnnx(graph, weights), options);
  };

  return {
    async get(key, make, deviceOutputs = []) {
      const kept = sessions.get(key);
      if (kept) {
        sessions.delete(key); // back in at the young end
        sessions.set(key, kept);
        return kept.graph;
      }
      const graph = make();
      const session = await build(key, graph, deviceOutputs);
      const inputs = new Set(graph.inputs.map((input) => input.name));
      const weightFeeds: Record<string, DeviceTensor> = {};
      for (const name of inputs) {
        const feed = name === undefined ? undefined : weightFeed(name);
        if (name !== undefined && feed) weightFeeds[name] = feed;
      }
      const compiled: CompiledGraph = {
        run: (feeds, bind) => {
          const consumed = Object.entries(feeds).filter(([name]) => inputs.has(name));
          return session.run({ ...Object.fromEntries(consumed), ...weightFeeds }, bind);
        },
      };
      sessions.set(key, { session, graph: compiled });
      for (const [oldKey, old] of sessions) {
        if (sessions.size <= MOST_SESSIONS) break;
        sessions.delete(oldKey);
        await old.session.dispose();
      }
      return compiled;
    },
    async dispose() {
      for (const { session } of sessions.values()) await session.dispose();
      sessions.clear();
      buffers.forEach((buffer) => {
        engine.release(buffer);
      });
      buffers.clear();
    },
  };
}
