/** A helper thread's worker: an instance of the kernels on the shared memory, which takes pieces of work until it is dismissed. */
import type { HelperSetup } from "./kernel-engine.ts";
import { exportsOf, importsOf } from "./module.ts";

onmessage = async ({ data: { module, memory, thread } }: MessageEvent<HelperSetup>) => {
  const { serve, dismiss } = exportsOf(await WebAssembly.instantiate(module, importsOf(memory)));
  postMessage("serves");
  try {
    serve(thread);
  } catch (error) {
    dismiss(); // who waits for its piece must not wait for ever
    throw error;
  }
};
