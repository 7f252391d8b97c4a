/** 20 updates by the engine's AdamW graph, with schedule, warm-up, clip and decay, against torch and transformers. */
import { afterAll, describe, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import type { GrpoConfig } from "../../domain/grpo/config.ts";
import { learningRateAt } from "../../domain/grpo/schedules.ts";
import { interpret } from "../../engine/graph/interpreter.ts";
import type { Graph } from "../../engine/graph/ir.ts";
import { float32, type HostTensor } from "../../engine/graph/tensor.ts";
import { adamwGraph } from "../../engine/nn/adamw.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { readFixture } from "../../testing/trl-fixtures.ts";

interface AdamwRun {
  readonly config: GrpoConfig;
  readonly start: readonly number[];
  readonly steps: readonly { gradient: readonly number[]; norm: number; parameters: readonly number[] }[];
}
const runs = (readFixture("trl-optimizer.json") as { adamw: readonly AdamwRun[] }).adamw;

const engines = await Promise.all(NODE_ENGINES.map(async ([name, open]) => [name, await open()] as const));
afterAll(() => Promise.all(engines.map(([, engine]) => engine.dispose())));

type Numbers = Readonly<Record<string, readonly number[]>>;
type Runner = (graph: Graph) => Promise<(feeds: Numbers) => Promise<Numbers>>;

const inFloat64: Runner = (graph) =>
  Promise.resolve((feeds) => {
    const out = interpret(graph, feeds);
    return Promise.resolve(
      Object.fromEntries(Object.entries(out).map(([name, { data }]) => [name, [...data]])),
    );
  });

const onEngine =
  (engine: Engine): Runner =>
  async (graph) => {
    const session = await engine.compile(graph, { name: "adamw" });
    return async (feeds) => {
      const tensors = Object.entries(feeds).map(([name, values]) => [
        name,
        float32([values.length], Float32Array.from(values)),
      ]);
      const out = await session.run(Object.fromEntries(tensors) as Record<string, HostTensor>);
      return Object.fromEntries(
        Object.entries(out).map(([name, tensor]) => [
          name,
          [...((tensor as HostTensor).data as Float32Array)],
        ]),
      );
    };
  };

function expectClose(got: readonly number[], wanted: readonly number[], relative: number): void {
  wanted.forEach((value, i) => {
    expect(Math.abs((got[i] ?? NaN) - value)).toBeLessThanOrEqual(relative * (Math.abs(value) + 1e-3));
  });
}

const named = runs.map(
  (run) => [`${run.config.lr_scheduler_type}, clip ${run.config.max_grad_norm}`, run] as const,
);

describe.each([
  ["the float64 interpreter", inFloat64, 1e-10] as const,
  ...engines.map(([name, engine]) => [name, onEngine(engine), 1e-5] as const),
])("AdamW by %s", (_, runner, tolerance) => {
  it.each(named)("follows torch: %s", async (_name, { config, start, steps }) => {
    const { adam_beta1: beta1, adam_beta2: beta2 } = config;
    const settings = {
      beta1,
      beta2,
      epsilon: config.adam_epsilon,
      weightDecay: config.weight_decay,
      maxGradNorm: config.max_grad_norm,
    };
    const run = await runner(adamwGraph(start.length, settings));
    let [p, m, v]: readonly (readonly number[])[] = [start, start.map(() => 0), start.map(() => 0)];
    for (const [done, { gradient, norm, parameters }] of steps.entries()) {
      const step = [learningRateAt(done + 1, config), 1 - beta1 ** (done + 1), 1 - beta2 ** (done + 1)];
      const out = await run({
        p: defined(p, "p"),
        g: gradient,
        m: defined(m, "m"),
        v: defined(v, "v"),
        step,
      });
      expectClose(defined(out["norm"], "norm"), [norm], tolerance);
      [p, m, v] = [out["p2"], out["m2"], out["v2"]] as readonly (readonly number[])[];
      expectClose(defined(p, "p"), parameters, tolerance);
    }
    expect(steps).toHaveLength(20);
  });
});
