/** Counts what WebAssembly memories of this process hold, onnxruntime's own among them, for tests of the planner. Node only. */

/** Emscripten asks for a fifth more than it needs, then for a tenth, then for a twentieth: it gets the last, so that little is counted that nobody asked for. */
const REFUSALS = 2;

export interface CountedWasm {
  /** Bytes of the largest memory; it never shrinks, so this is the most that was held. */
  readonly held: () => number;
  readonly stop: () => void;
}

/** Call before the runtime is loaded. */
export function countWasmMemory(): CountedWasm {
  const Original = WebAssembly.Memory;
  const memories: WebAssembly.Memory[] = [];
  WebAssembly.Memory = class extends Original {
    #refused = 0;

    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      memories.push(this);
    }

    override grow(pages: number): number {
      if (this.#refused++ < REFUSALS) throw new RangeError("a smaller piece, please");
      this.#refused = 0;
      return super.grow(pages);
    }
  };
  return {
    held: () => Math.max(0, ...memories.map(({ buffer }) => buffer.byteLength)),
    stop: () => {
      WebAssembly.Memory = Original;
    },
  };
}
