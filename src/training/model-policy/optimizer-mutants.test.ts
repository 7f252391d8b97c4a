/** torch's 20 updates notice every slip in AdamW's graph: each of its nodes is left out or exchanged. */
import { expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import type { GrpoConfig } from "../../domain/grpo/config.ts";
import { learningRateAt } from "../../domain/grpo/schedules.ts";
import { interpret } from "../../engine/graph/interpreter.ts";
import type { Graph } from "../../engine/graph/ir.ts";
import { adamwGraph } from "../../engine/nn/adamw.ts";
import { nodeMutants } from "../../testing/graph/node-mutants.ts";
import { readFixture } from "../../testing/trl-fixtures.ts";

interface AdamwRun {
  readonly config: GrpoConfig;
  readonly start: readonly number[];
  readonly steps: readonly { gradient: readonly number[]; norm: number; parameters: readonly number[] }[];
}
const runs = (readFixture("trl-optimizer.json") as { adamw: readonly AdamwRun[] }).adamw;

function graphOf({ config, start }: AdamwRun): Graph {
  const { adam_beta1: beta1, adam_beta2: beta2, adam_epsilon: epsilon } = config;
  const { weight_decay: weightDecay, max_grad_norm: maxGradNorm } = config;
  return adamwGraph(start.length, { beta1, beta2, epsilon, weightDecay, maxGradNorm });
}

/** As optimizer-parity.test.ts holds it in float64. */
const close = (got: number, wanted: number): boolean =>
  Math.abs(got - wanted) <= 1e-10 * (Math.abs(wanted) + 1e-3);

function followsTorch(graph: Graph, { config, start, steps }: AdamwRun): boolean {
  let [p, m, v]: readonly ArrayLike<number>[] = [start, start.map(() => 0), start.map(() => 0)];
  return steps.every(({ gradient, norm, parameters }, done) => {
    const step = [
      learningRateAt(done + 1, config),
      1 - config.adam_beta1 ** (done + 1),
      1 - config.adam_beta2 ** (done + 1),
    ];
    const out = interpret(graph, {
      p: defined(p, "p"),
      g: gradient,
      m: defined(m, "m"),
      v: defined(v, "v"),
      step,
    });
    [p, m, v] = ["p2", "m2", "v2"].map((name) => defined(out[name], name).data);
    const params = p;
    return (
      close(out["norm"]?.data[0] ?? NaN, norm) &&
      parameters.every((value, i) => close(params?.[i] ?? NaN, value))
    );
  });
}

it("no slip in AdamW goes unnoticed", () => {
  const [first] = runs;
  const graph = graphOf(defined(first, "run"));
  expect(graph.outputs.map(({ name, value }) => [name, value.dims.length])).toContainEqual(["norm", 1]);
  const mutants = nodeMutants(graph);
  expect(runs.every((run) => followsTorch(graphOf(run), run))).toBe(true);
  const survivors = mutants.filter(({ apply }) =>
    runs.every((run) => {
      const mutant = graphOf(run);
      apply(mutant);
      return followsTorch(mutant, run);
    }),
  );
  expect(mutants.length).toBeGreaterThan(30);
  expect(survivors.map(({ title }) => title)).toEqual([]);
});
