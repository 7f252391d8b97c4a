/**
 * The update layer by layer: one forward and one backward session serve all layers, which take their weights and their
 * slice of the adapter as inputs. Rows stay on the device between sessions and are let go as soon as they are read.
 */
import { defined } from "../../base/assert.ts";
import { float32, type HostTensor } from "../../engine/graph/tensor.ts";
import {
  embedGraph,
  layerBackwardGraph,
  layerForwardGraph,
  layerLora,
  layerWeightNames,
  topGradientGraph,
  topNextTokenGraph,
  topScoreGraph,
} from "../../engine/nn/layered-graphs.ts";
import { COARSE, questionFeeds } from "./pack-update.ts";
import type { Graph } from "../../engine/graph/ir.ts";
import type { UpdateModel } from "../../engine/nn/update-graphs.ts";
import type { DeviceTensor, Engine } from "../../engine/runtime/engine.ts";
import type { CompiledGraph, CompiledGraphs } from "./compiled-graphs.ts";
import type { PlanBatch, PlanLoss, PlanGradient, PlanScores, UpdatePlan } from "./update-plan.ts";

export interface LayeredContext {
  readonly engine: Pick<Engine, "upload" | "release">;
  readonly graphs: CompiledGraphs;
  readonly model: Omit<UpdateModel, "temperature">;
}

type Feeds = Readonly<Record<string, HostTensor | DeviceTensor>>;

/** A plan whose graphs are built once a shape (the top also once a temperature and loss). */
export function layeredPlan(context: LayeredContext): UpdatePlan {
  return {
    rounding: COARSE,
    score: (batch) => withScope(context.engine, (scope) => score(context, scope, batch)),
    nextTokens: (batch, words) =>
      withScope(context.engine, (scope) => nextTokens(context, scope, { batch, words })),
    gradient: (batch, loss) =>
      withScope(context.engine, (scope) => gradient(context, scope, { batch, loss })),
  };
}

/** Device tensors of one micro-batch: what is still held at its end, however it ends, is released. */
interface Scope {
  hold(tensor: HostTensor | DeviceTensor | undefined): DeviceTensor;
  release(tensor: DeviceTensor): void;
}

async function withScope<T>(
  engine: LayeredContext["engine"],
  task: (scope: Scope) => Promise<T>,
): Promise<T> {
  const held = new Set<DeviceTensor>();
  const release = (tensor: DeviceTensor): void => {
    if (held.delete(tensor)) engine.release(tensor);
  };
  try {
    return await task({
      hold(tensor) {
        const device = tensor && "device" in tensor ? tensor : engine.upload(defined(tensor, "tensor"));
        held.add(device);
        return device;
      },
      release,
    });
  } finally {
    held.forEach(release);
  }
}

/** After the last layer. */
async function lastRows(context: LayeredContext, scope: Scope, batch: PlanBatch): Promise<DeviceTensor> {
  const layers = layerFeeds(context, scope, batch);
  let rows = await embedRows(context, scope, batch);
  const forward = await layerForward(context, batch);
  for (const feeds of layers) {
    const out = await forward.run({ ...feeds, rows });
    scope.release(rows);
    rows = scope.hold(out["next"]);
  }
  return rows;
}

async function nextTokens(
  context: LayeredContext,
  scope: Scope,
  { batch, words }: { readonly batch: PlanBatch; readonly words: Int32Array },
): Promise<Float32Array> {
  const rows = await lastRows(context, scope, batch);
  const top = await compile(context, [`top-next-token ${words.length}`, batch], (model, shape) =>
    topNextTokenGraph(model, shape, words.length),
  );
  return numbers(await top.run({ ...questionFeeds(batch.packed, words), rows }), "wordLogProbs");
}

async function score(context: LayeredContext, scope: Scope, batch: PlanBatch): Promise<PlanScores> {
  const rows = await lastRows(context, scope, batch);
  const top = await compile(context, ["top-score", batch], (model, shape) => topScoreGraph(model, shape));
  const out = (await top.run({ ...batch.packed.feeds, rows })) as Record<string, HostTensor>;
  return { logProbs: numbers(out, "logProbs"), entropy: numbers(out, "entropy") };
}

async function gradient(
  context: LayeredContext,
  scope: Scope,
  { batch, loss }: { readonly batch: PlanBatch; readonly loss: PlanLoss },
): Promise<PlanGradient> {
  const layers = layerFeeds(context, scope, batch);
  const forward = await layerForward(context, batch);
  const rows = [await embedRows(context, scope, batch)]; // before each layer, and after the last
  for (const feeds of layers) {
    const out = await forward.run({ ...feeds, rows: defined(rows.at(-1), "rows") });
    rows.push(scope.hold(out["next"]));
  }
  const topRows = defined(rows.pop(), "rows");
  const top = await compile(
    context,
    [`top-gradient ${JSON.stringify(loss.settings)}`, batch],
    (model, shape) => topGradientGraph(model, shape, loss.settings),
    ["cotangent"],
  );
  const out = await top.run({ ...batch.packed.feeds, ...loss.feeds, rows: topRows });
  scope.release(topRows);
  const flat = await backward(context, scope, {
    batch,
    layers,
    rows,
    cotangent: scope.hold(out["cotangent"]),
  });
  return {
    loss: numbers(out, "loss")[0] ?? NaN,
    gradient: flat,
    logProbs: numbers(out, "logProbs"),
    entropy: numbers(out, "entropy"),
  };
}

/** From the last layer to the first: the flat gradient. */
async function backward(
  context: LayeredContext,
  scope: Scope,
  state: {
    readonly batch: PlanBatch;
    readonly layers: readonly Feeds[];
    /** Before each layer. */
    readonly rows: readonly DeviceTensor[];
    /** d loss / d rows after the last layer. */
    readonly cotangent: DeviceTensor;
  },
): Promise<Float32Array> {
  const { batch, layers } = state;
  const session = await compile(
    context,
    ["layer-backward", batch],
    (model, shape) => layerBackwardGraph(model, shape),
    ["previous"],
  );
  const flat = batch.adapter.slice(); // every entry is overwritten
  const size = layerLora(context.model).size;
  let { cotangent } = state;
  for (let layer = layers.length - 1; layer >= 0; layer--) {
    const rows = defined(state.rows[layer], "rows");
    const out = await session.run({ ...layers[layer], rows, cotangent });
    scope.release(rows);
    scope.release(cotangent);
    cotangent = scope.hold(out["previous"]);
    flat.set(numbers(out, "gradient"), layer * size);
  }
  return flat;
}

/** What the layer sessions are fed besides rows: indices (uploaded once), weights and the slice of the adapter. */
function layerFeeds({ graphs, model }: LayeredContext, scope: Scope, batch: PlanBatch): Feeds[] {
  const indices: Record<string, DeviceTensor> = {};
  for (const name of ["positions", "slotRows", "rowSlots", "promptMask"]) {
    indices[name] = scope.hold(batch.packed.feeds[name]);
  }
  const { size } = layerLora(model);
  const names = layerWeightNames(model);
  return Array.from({ length: model.config.layers }, (_, layer) => ({
    ...indices,
    ...Object.fromEntries(names.map(({ input, at }) => [input, graphs.weight(at(layer))])),
    lora: float32([size], batch.adapter.subarray(layer * size, (layer + 1) * size)),
  }));
}

async function embedRows(context: LayeredContext, scope: Scope, batch: PlanBatch): Promise<DeviceTensor> {
  const session = await compile(context, ["embed", batch], embedGraph, ["next"]);
  return scope.hold((await session.run({ ids: defined(batch.packed.feeds["ids"], "ids") }))["next"]);
}

function layerForward(context: LayeredContext, batch: PlanBatch): Promise<CompiledGraph> {
  return compile(context, ["layer-forward", batch], layerForwardGraph, ["next"]);
}

/** The session of one of the plan's graphs for a batch's shape. */
function compile(
  { graphs, model }: LayeredContext,
  [name, { packed, temperature }]: readonly [string, PlanBatch],
  make: (model: UpdateModel, shape: PlanBatch["packed"]["shape"]) => Graph,
  deviceOutputs: readonly string[] = [],
): Promise<CompiledGraph> {
  const key = `${name} ${name.startsWith("top") ? temperature : ""} ${Object.values(packed.shape).join(" ")}`;
  return graphs.get(key, () => make({ ...model, temperature }, packed.shape), {
    deviceOutputs,
    weights: "inputs",
  });
}

const numbers = (out: Feeds, name: string): Float32Array => (out[name] as HostTensor).data as Float32Array;
