/** The update as one graph of all layers: fastest where it fits. */
import { float32, type HostTensor } from "../../engine/graph/tensor.ts";
import type { SharedPrefixShape } from "../../engine/nn/attention.ts";
import { grpoGraph, nextTokenGraph, scoreGraph, type UpdateModel } from "../../engine/nn/update-graphs.ts";
import type { CompiledGraphs } from "./compiled-graphs.ts";
import { COARSE, type PackRounding, questionFeeds } from "./pack-update.ts";
import type { PlanBatch, UpdatePlan } from "./update-plan.ts";

const shapeKey = (shape: SharedPrefixShape): string => Object.values(shape).join(" ");

/** A plan whose graphs are built once a shape, temperature and loss. */
export function wholePlan(
  graphs: CompiledGraphs,
  model: Omit<UpdateModel, "temperature">,
  rounding: PackRounding = COARSE,
): UpdatePlan {
  const feedsOf = ({ packed, adapter }: PlanBatch): Record<string, HostTensor> => ({
    ...packed.feeds,
    lora: float32([adapter.length], adapter),
  });
  return {
    rounding,
    async score(batch) {
      const { temperature, packed } = batch;
      const graph = await graphs.get(`score ${temperature} ${shapeKey(packed.shape)}`, () =>
        scoreGraph({ ...model, temperature }, packed.shape),
      );
      const out = (await graph.run(feedsOf(batch))) as Record<string, HostTensor>;
      return { logProbs: numbers(out, "logProbs"), entropy: numbers(out, "entropy") };
    },
    async nextTokens(batch, words) {
      const { temperature, packed } = batch;
      const key = `next-token ${temperature} ${words.length} ${shapeKey(packed.shape)}`;
      const graph = await graphs.get(key, () =>
        nextTokenGraph({ ...model, temperature }, packed.shape, words.length),
      );
      const feeds = { ...feedsOf(batch), ...questionFeeds(packed, words) };
      return numbers((await graph.run(feeds)) as Record<string, HostTensor>, "wordLogProbs");
    },
    async gradient(batch, { settings, feeds }) {
      const { temperature, packed } = batch;
      const key = `grpo ${temperature} ${JSON.stringify(settings)} ${shapeKey(packed.shape)}`;
      const graph = await graphs.get(key, () => grpoGraph({ ...model, temperature }, packed.shape, settings));
      const out = (await graph.run({ ...feedsOf(batch), ...feeds })) as Record<string, HostTensor>;
      return {
        loss: numbers(out, "loss")[0] ?? NaN,
        gradient: numbers(out, "gradient"),
        logProbs: numbers(out, "logProbs"),
        entropy: numbers(out, "entropy"),
      };
    },
  };
}

const numbers = (out: Readonly<Record<string, HostTensor>>, name: string): Float32Array =>
  out[name]?.data as Float32Array;
