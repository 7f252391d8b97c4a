/**
 * Global-norm clipping and AdamW (Loshchilov and Hutter, arXiv 1711.05101, algorithm 2) over one flat vector, as
 * torch.nn.utils.clip_grad_norm_ and torch.optim.AdamW compute them.
 */
import { Graph } from "../graph/ir.ts";
import { add, div, minimum, mul, sqrt, square, sub } from "../graph/ops/elementwise.ts";
import { reduceSum } from "../graph/ops/reduce.ts";
import { reshape, slice } from "../graph/ops/shape.ts";

export interface AdamWSettings {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly maxGradNorm: number;
}

/**
 * Inputs p, g, m, v [n] and `step` [3] = (learning rate, 1 - beta1^t, 1 - beta2^t); outputs p2, m2, v2 [n] and
 * `norm` [1], the gradient's norm before clipping. The last node does not read p, so p2 may be bound to p's buffer.
 */
export function adamwGraph(n: number, settings: AdamWSettings): Graph {
  const graph = new Graph("adamw");
  const p = graph.input("p", "float32", [n]);
  const g = graph.input("g", "float32", [n]);
  const m = graph.input("m", "float32", [n]);
  const v = graph.input("v", "float32", [n]);
  const step = graph.input("step", "float32", [3]);
  const rate = slice(step, 0, 0, 1);
  const { beta1, beta2 } = settings;

  const norm = sqrt(reduceSum(square(g), [0], true)); // [1]
  const coefficient = minimum(div(settings.maxGradNorm, add(norm, 1e-6)), 1);
  const gradient = mul(g, coefficient);
  const m2 = add(mul(m, beta1), mul(gradient, 1 - beta1));
  const v2 = add(mul(v, beta2), mul(square(gradient), 1 - beta2));
  const mHat = div(m2, slice(step, 0, 1, 2));
  const vHat = div(v2, slice(step, 0, 2, 3));
  const update = mul(div(mHat, add(sqrt(vHat), settings.epsilon)), rate);
  const decayed = mul(p, sub(1, mul(rate, settings.weightDecay)));
  graph.output("p2", sub(decayed, update));
  graph.output("m2", m2);
  graph.output("v2", v2);
  graph.output("norm", reshape(norm, [1]));
  return graph;
}
