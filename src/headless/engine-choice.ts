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

/** Opens it when called. @throws PlaygroundError `config-invalid` for another name */
export function chooseEngine(name: string, threads: number): () => Promise<Engine> {
  if (Object.hasOwn(openers, name)) return () => openers[name as keyof typeof openers](threads);
  throw new PlaygroundError({
    code: "config-invalid",
    where: "--engine",
    expected: Object.keys(openers).join(" or "),
    got: name,
    next: "Correct the command.",
  });
}
