/**
 * How much slower the page's runtime (WASM, one thread) is than onnxruntime-node on the same graph: a chain of matrix
 * products in the shapes of the bundled model's MLP, weights as inputs. Headless results are this much faster than a tab's.
 */
import * as ortWasm from "onnxruntime-web/wasm";
import { float32 } from "../src/engine/graph/tensor.ts";
import type { Engine } from "../src/engine/runtime/engine.ts";
import { createOrtEngine } from "../src/engine/runtime/ort-engine.ts";
import { openNodeEngine } from "../src/engine/runtime/ort-node.ts";
import { tinyOnnx, type TinyNode } from "../src/testing/tiny-onnx.ts";

const ROWS = 256;
const D = 128;
const F = 384;
const PAIRS = 8;
const FLOP = 2 * ROWS * D * F * 2 * PAIRS;
const TRIES = 10;

export async function compareRuntimes(print: (line: string) => void): Promise<void> {
  const cpu = await bestSeconds(openNodeEngine(1));
  const wasm = await bestSeconds(createOrtEngine(ortWasm, "wasm", { threads: 1 }));
  print(`onnxruntime-node, 1 thread: ${(FLOP / cpu / 1e9).toFixed(1)} GFLOP/s`);
  print(`WASM, 1 thread:             ${(FLOP / wasm / 1e9).toFixed(1)} GFLOP/s`);
  print(`ratio: ${(wasm / cpu).toFixed(2)}`);
}

async function bestSeconds(engine: Engine): Promise<number> {
  const session = await engine.load(chainOnnx(), { name: "matmul chain" });
  const feeds = {
    x: float32([ROWS, D], new Float32Array(ROWS * D).fill(0.01)),
    up: float32([D, F], new Float32Array(D * F).fill(0.01)),
    down: float32([F, D], new Float32Array(F * D).fill(0.01)),
  };
  const warmUntil = performance.now() + 1500; // the first second of WASM runs at half speed
  while (performance.now() < warmUntil) await session.run(feeds);
  let best = Infinity;
  for (let i = 0; i < TRIES; i++) {
    const start = performance.now();
    await session.run(feeds);
    best = Math.min(best, performance.now() - start);
  }
  await engine.dispose();
  return best / 1000;
}

function chainOnnx(): Uint8Array {
  const nodes: TinyNode[] = [];
  let value = "x";
  for (let i = 0; i < PAIRS; i++) {
    const next = i === PAIRS - 1 ? "y" : `d${i}`;
    nodes.push({ op: "MatMul", inputs: [value, "up"], outputs: [`u${i}`] });
    nodes.push({ op: "MatMul", inputs: [`u${i}`, "down"], outputs: [next] });
    value = next;
  }
  return tinyOnnx(nodes, { x: [ROWS, D], up: [D, F], down: [F, D] }, { y: [ROWS, D] });
}
