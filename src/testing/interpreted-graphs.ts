/** Graphs that run in the float64 interpreter where a policy would have sessions: the oracle of whole plans. */
import { defined } from "../base/assert.ts";
import { interpret } from "../engine/graph/interpreter.ts";
import type { DType, HostTensor } from "../engine/graph/tensor.ts";
import { weightByName } from "../engine/nn/base-matrix.ts";
import type { DeviceTensor, Engine } from "../engine/runtime/engine.ts";
import { createTensorLedger } from "../engine/runtime/tensor-ledger.ts";
import type { WeightTensor } from "../engine/graph/block-tensor.ts";
import type { CompiledGraphs } from "../training/model-policy/compiled-graphs.ts";

type Tensors = Readonly<Record<string, HostTensor | DeviceTensor>>;

export interface InterpretedGraphs {
  readonly graphs: CompiledGraphs;
  readonly engine: Pick<Engine, "upload" | "release" | "liveBuffers">;
}

/** Nothing is rounded on the way: the `data` of tensors that come out of a run holds float64 numbers. */
export function interpretedGraphs(weights: ReadonlyMap<string, WeightTensor>): InterpretedGraphs {
  const ledger = createTensorLedger<HostTensor>();
  const hostOf = (tensor: HostTensor | DeviceTensor): HostTensor =>
    "device" in tensor ? ledger.get(tensor) : tensor;
  const weight = (name: string): HostTensor => defined(weightByName(weights, name), name);
  return {
    engine: {
      upload: (tensor) => ledger.add(tensor, tensor),
      release: (tensor) => void ledger.remove(tensor),
      liveBuffers: () => ledger.live(),
    },
    graphs: {
      weight,
      get: (_, make, options = {}) => {
        const graph = make();
        const device = new Set(options.deviceOutputs);
        const run = (feeds: Tensors): Promise<Tensors> => {
          const input = (name: string): HostTensor => {
            const fed = feeds[name];
            return fed ? hostOf(fed) : weight(name);
          };
          const out = interpret(
            graph,
            Object.fromEntries(graph.inputs.map(({ name = "" }) => [name, input(name)])),
          );
          const tensors = Object.entries(out).map(([name, { dims, data }]) => {
            const tensor = { dtype: "float32" as DType, dims, data: data as unknown as Float32Array };
            return [name, device.has(name) ? ledger.add(tensor, tensor) : tensor] as const;
          });
          return Promise.resolve(Object.fromEntries(tensors));
        };
        return Promise.resolve({ run });
      },
      dispose: () => Promise.resolve(),
    },
  };
}
