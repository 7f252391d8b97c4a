/** The engine of a headless run by its name on the command line. */
import { PlaygroundError } from "../base/errors.ts";
import type { Engine } from "../engine/runtime/engine.ts";

const openers = {
  /** onnxruntime-node: about twice as fast. */
  node: async (threads: number): Promise<Engine> =>
    (await import("../engine/runtime/ort-node.ts")).openNodeEngine(threads),
  /** onnxruntime-web as in a tab; its 13 MB load only for this. */
  wasm: async (threads: number): Promise<Engine> =>
    (await import("../engine/runtime/ort-node-wasm.ts")).openNodeWasmEngine(threads),
};

export type EngineName = keyof typeof openers;

/** @throws PlaygroundError `config-invalid` for another name or no number of threads */
export function chooseEngine(name: string, threads: string): () => Promise<Engine> {
  if (!Object.hasOwn(openers, name)) throw wrong("--engine", Object.keys(openers).join(" or "), name);
  const count = Number(threads);
  if (!Number.isInteger(count) || count < 1) throw wrong("--threads", "a whole number from 1 on", threads);
  return () => openers[name as EngineName](count);
}

function wrong(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({ code: "config-invalid", where, expected, got, next: "Correct the command." });
}
