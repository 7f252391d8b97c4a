/**
 * Graphs as sessions of one engine, built when first asked for and kept while they are used. On WebGPU base weights are
 * buffers uploaded once for all graphs. On the CPU side they are initializers (packed once, in every session of
 * onnxruntime or once for all on the kernels), or, on onnxruntime, inputs (copied in at every run) where the caller says so and
 * where they are in blocks: no session of it packs those, and as initializers each would hold a copy of the model.
 */
import { defined } from "../../base/assert.ts";
import type { Graph } from "../../engine/graph/ir.ts";
import type { HostTensor } from "../../engine/graph/tensor.ts";
import { blockBitsOf, weightByName } from "../../engine/nn/base-matrix.ts";
import type { DeviceTensor, Engine, Session } from "../../engine/runtime/engine.ts";
import type { WeightTensor } from "../../engine/graph/block-tensor.ts";

type Feeds = Readonly<Record<string, HostTensor | DeviceTensor>>;

export interface CompiledGraph {
  /** Runs with the base weights added to the feeds that the graph still consumes. */
  run(feeds: Feeds, bind?: Readonly<Record<string, DeviceTensor>>): Promise<Feeds>;
}

export interface SessionOptions {
  /** Outputs that stay on the device, to be released by the caller. */
  readonly deviceOutputs?: readonly string[];
  /** What base weights are to onnxruntime's CPU side; by default "initializers", "inputs" where they are in blocks. */
  readonly weights?: "initializers" | "inputs";
  /** Base weights that are not used: each run brings its own under their names. */
  readonly fed?: ReadonlySet<string>;
}

export interface CompiledGraphs {
  /** The session under `key`, built by `make` the first time. */
  get(key: string, make: () => Graph, options?: SessionOptions): Promise<CompiledGraph>;
  /** A base weight, or a chunk of a table, as a feed. Its owner stays this object. */
  weight(name: string): HostTensor | DeviceTensor;
  dispose(): Promise<void>;
}

/**
 * At most this many sessions of each kind are kept; the one unused longest goes first. Those with weights as inputs hold
 * none, and the layered plan needs five a shape.
 */
const MOST_SESSIONS = { initializers: 16, inputs: 40 };
/**
 * Of initializers, where a model is large and each session of onnxruntime holds a copy of it: the prompt's, a step's answers'
 * and the held-out ones'.
 */
export const MOST_LARGE_SESSIONS = 3;
/** Float weights from which on a model is large; those of our kernels are held once for all sessions. */
const LARGE_BYTES = 96 * 2 ** 20;

interface Kept {
  readonly session: Session;
  readonly graph: CompiledGraph;
  readonly weights: keyof typeof MOST_SESSIONS;
}

export function compiledGraphs(engine: Engine, weights: ReadonlyMap<string, WeightTensor>): CompiledGraphs {
  const sessions = new Map<string, Kept>();
  const buffers = new Map<string, DeviceTensor>();
  const onGpu = engine.info.kind === "webgpu";
  const isPacked = blockBitsOf(weights) === null || engine.info.kind === "kernels";
  const usual = isPacked ? "initializers" : "inputs";
  const most = mostSessions(engine, weights);

  const weightFeed = (name: string): HostTensor | DeviceTensor | undefined => {
    const host = weightByName(weights, name);
    if (!host || !onGpu) return host;
    let buffer = buffers.get(name);
    if (!buffer) buffers.set(name, (buffer = engine.upload(host)));
    return buffer;
  };

  /** The session and the weights that each run feeds. */
  const build = async (key: string, graph: Graph, options: SessionOptions): Promise<[Session, Feeds]> => {
    const { deviceOutputs = [], weights: kind = usual, fed } = options;
    const isInput = onGpu || (kind === "inputs" && engine.info.kind !== "kernels"); // those hold one copy for all
    const feeds: Record<string, HostTensor | DeviceTensor> = {};
    for (const { kind: what, name = "" } of graph.inputs) {
      if (what === "weight" && isInput && fed?.has(name) !== true)
        feeds[name] = defined(weightFeed(name), `weight ${name}`);
    }
    const own = isInput ? {} : { weights: weightsOf(graph, weights, fed) };
    return [await engine.compile(graph, { name: key, deviceOutputs, ...own }), feeds];
  };

  return {
    weight: (name) => defined(weightFeed(name), `weight ${name}`),
    async get(key, make, options = {}) {
      const kept = sessions.get(key);
      if (kept) {
        sessions.delete(key); // back in at the young end
        sessions.set(key, kept);
        return kept.graph;
      }
      const graph = make();
      const [session, weightFeeds] = await build(key, graph, options);
      const inputs = new Set(graph.inputs.map((input) => input.name));
      const compiled: CompiledGraph = {
        run: (feeds, bind) => {
          const consumed: Record<string, HostTensor | DeviceTensor> = { ...weightFeeds };
          for (const [name, feed] of Object.entries(feeds)) if (inputs.has(name)) consumed[name] = feed;
          return session.run(consumed, bind);
        },
      };
      const { weights: kind = usual } = options;
      sessions.set(key, { session, graph: compiled, weights: kind });
      await endOldest(sessions, kind, most[kind]);
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

function mostSessions(
  { info: { kind } }: Engine,
  weights: ReadonlyMap<string, WeightTensor>,
): Readonly<Record<Kept["weights"], number>> {
  const copies = (kind === "wasm" || kind === "cpu") && blockBitsOf(weights) === null;
  const large = copies && bytesOf(weights) > LARGE_BYTES;
  return large ? { ...MOST_SESSIONS, initializers: MOST_LARGE_SESSIONS } : MOST_SESSIONS;
}

const bytesOf = (weights: ReadonlyMap<string, WeightTensor>): number =>
  [...weights.values()].reduce((sum, { data }) => sum + data.byteLength, 0);

async function endOldest(sessions: Map<string, Kept>, kind: Kept["weights"], most: number): Promise<void> {
  const same = [...sessions].filter(([, other]) => other.weights === kind);
  for (const [key, { session }] of same.slice(0, Math.max(0, same.length - most))) {
    sessions.delete(key);
    await session.dispose();
  }
}

/** The weights that a graph names, but those that are fed. */
function weightsOf(
  graph: Graph,
  weights: ReadonlyMap<string, WeightTensor>,
  fed: ReadonlySet<string> = new Set(),
): Map<string, HostTensor> {
  const found = new Map<string, HostTensor>();
  for (const { kind, name = "" } of graph.inputs) {
    const host = kind === "weight" && !fed.has(name) ? weightByName(weights, name) : undefined;
    if (host) found.set(name, host);
  }
  return found;
}
