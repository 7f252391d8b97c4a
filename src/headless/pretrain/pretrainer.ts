/** Next-token training of all weights on batches of chats: the cross-entropy graph and AdamW on one engine. */
import type { Graph } from "../../engine/graph/ir.ts";
import { float32, type HostTensor, int32 } from "../../engine/graph/tensor.ts";
import { adamwGraph } from "../../engine/nn/adamw.ts";
import { type ModelConfig, parameterCount } from "../../engine/nn/model-config.ts";
import { pretrainGraph } from "../../engine/nn/pretrain-graph.ts";
import type { Engine, Session } from "../../engine/runtime/engine.ts";
import type { TokenRow } from "./token-rows.ts";

export interface PretrainState {
  readonly parameters: Float32Array;
  readonly m: Float32Array;
  readonly v: Float32Array;
  readonly step: number;
}

export interface PretrainOptions {
  /** Chats a step. */
  readonly batch: number;
  /** Weight of a prompt token's loss beside 1 for the reply's. */
  readonly promptWeight: number;
}

export interface Pretrainer {
  step(
    state: PretrainState,
    rows: readonly TokenRow[],
    rate: number,
  ): Promise<{ readonly state: PretrainState; readonly loss: number; readonly gradNorm: number }>;
  /** Mean loss in nats over reply tokens. */
  evaluate(parameters: Float32Array, batches: readonly (readonly TokenRow[])[]): Promise<number>;
  dispose(): Promise<void>;
}

const OPTIMIZER = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };

export function createPretrainer(engine: Engine, config: ModelConfig, options: PretrainOptions): Pretrainer {
  const sessions = new Map<string, Promise<Session>>();
  const n = parameterCount(config);
  const session = (key: string, make: () => Graph): Promise<Session> => {
    let opened = sessions.get(key);
    if (!opened) {
      opened = engine.compile(make(), { name: key });
      sessions.set(key, opened);
    }
    return opened;
  };
  const gradient = async (parameters: Float32Array, rows: readonly TokenRow[], promptWeight: number) => {
    const T = Math.ceil((Math.max(...rows.map((row) => row.ids.length)) - 1) / 16) * 16;
    const graph = await session(`pretrain ${T}`, () => pretrainGraph(config, options.batch, T));
    const out = await graph.run({ parameters: float32([n], parameters), ...layOut(rows, T, promptWeight) });
    return { loss: dataOf(out["loss"])[0] ?? NaN, gradient: dataOf(out["gradient"]) };
  };
  return {
    async step(state, rows, rate) {
      const { loss, gradient: g } = await gradient(state.parameters, rows, options.promptWeight);
      const step = state.step + 1;
      const adamw = await session("adamw", () => adamwGraph(n, OPTIMIZER));
      const corrections = [1 - OPTIMIZER.beta1 ** step, 1 - OPTIMIZER.beta2 ** step];
      const out = await adamw.run({
        p: float32([n], state.parameters),
        g: float32([n], g),
        m: float32([n], state.m),
        v: float32([n], state.v),
        step: float32([3], Float32Array.of(rate, ...corrections)),
      });
      const next = { parameters: dataOf(out["p2"]), m: dataOf(out["m2"]), v: dataOf(out["v2"]), step };
      return { state: next, loss, gradNorm: dataOf(out["norm"])[0] ?? NaN };
    },
    async evaluate(parameters, batches) {
      let sum = 0;
      for (const rows of batches) sum += (await gradient(parameters, rows, 0)).loss;
      return sum / batches.length;
    },
    async dispose() {
      for (const opened of sessions.values()) await (await opened).dispose();
      sessions.clear();
    },
  };
}

function dataOf(tensor: unknown): Float32Array {
  return (tensor as HostTensor).data as Float32Array;
}

/** Inputs of the cross-entropy graph: row t predicts token t + 1; weights sum to 1. */
function layOut(rows: readonly TokenRow[], T: number, promptWeight: number): Record<string, HostTensor> {
  const N = rows.length * T;
  const ids = new Int32Array(N);
  const labels = new Int32Array(N);
  const weights = new Float32Array(N);
  rows.forEach((row, b) => {
    for (let t = 0; t + 1 < row.ids.length; t++) {
      ids[b * T + t] = row.ids[t] ?? 0;
      labels[b * T + t] = row.ids[t + 1] ?? 0;
      weights[b * T + t] = t + 1 >= row.replyStart ? 1 : promptWeight;
    }
  });
  const total = weights.reduce((a, b) => a + b, 0);
  return {
    ids: int32([N], ids),
    positions: {
      dtype: "int64",
      dims: [N, 1],
      data: BigInt64Array.from({ length: N }, (_, i) => BigInt(i % T)),
    },
    labels: int32([N], labels),
    weights: float32(
      [N],
      weights.map((w) => w / total),
    ),
  };
}
