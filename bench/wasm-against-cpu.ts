/**
 * How much slower the page's runtime (WASM, one thread) is than onnxruntime-node on the same graph: a chain of matrix
 * products in the shapes of the bundled model's MLP, weights as inputs. Headless results are this much faster than a tab's.
 */
import * as ortWasm from "onnxruntime-web/wasm";
import { float32 } from "../src/engine/graph/tensor.ts";
import type { OnnxEngine } from "../src/engine/runtime/engine.ts";
import { createOrtEngine } from "../src/engine/runtime/ort-engine.ts";
import { openNodeEngine } from "../src/engine/runtime/ort-node.ts";
import { type Bench, pairedFigure } from "./figure.ts";
import { type Contender, measureInTurn } from "./in-turn.ts";
import { tinyOnnx, type TinyNode } from "../src/testing/tiny-onnx.ts";

const ROWS = 256;
const D = 128;
const F = 384;
const PRODUCTS = 8;
const FLOP = 2 * ROWS * D * F * 2 * PRODUCTS;
const PAIRS = 21;

export const wasmAgainstCpu: Bench = async ({ pairs }) => {
  const cpu = await chain(openNodeEngine(1));
  const wasm = await chain(createOrtEngine(ortWasm, "wasm", { threads: 1 }));
  const figures = await measureInTurn(wasm.run, cpu.run, pairs ?? PAIRS);
  await cpu.dispose();
  await wasm.dispose();
  return [pairedFigure("wasm-against-cpu", "GFLOP/s", "higher", figures)];
};

/** GFLOP/s of one run of the chain. */
async function chain(engine: OnnxEngine): Promise<{ readonly run: Contender; dispose(): Promise<void> }> {
  const session = await engine.load(chainOnnx(), { name: "matmul chain" });
  const feeds = {
    x: float32([ROWS, D], new Float32Array(ROWS * D).fill(0.01)),
    up: float32([D, F], new Float32Array(D * F).fill(0.01)),
    down: float32([F, D], new Float32Array(F * D).fill(0.01)),
  };
  return {
    run: async () => {
      const start = performance.now();
      await session.run(feeds);
      return FLOP / (performance.now() - start) / 1e6;
    },
    dispose: () => engine.dispose(),
  };
}

function chainOnnx(): Uint8Array {
  const nodes: TinyNode[] = [];
  let value = "x";
  for (let i = 0; i < PRODUCTS; i++) {
    const next = i === PRODUCTS - 1 ? "y" : `d${i}`;
    nodes.push({ op: "MatMul", inputs: [value, "up"], outputs: [`u${i}`] });
    nodes.push({ op: "MatMul", inputs: [`u${i}`, "down"], outputs: [next] });
    value = next;
  }
  return tinyOnnx(nodes, { x: [ROWS, D], up: [D, F], down: [F, D] }, { y: [ROWS, D] });
}
