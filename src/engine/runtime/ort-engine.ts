/**
 * `Engine` on onnxruntime. The runtime itself is an argument, because each build of it loads differently
 * (ort-browser.ts, ort-node.ts). Every entry into the runtime passes the run queue.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { type ExternalData, toOnnx } from "../graph/onnx.ts";
import { watchDevice } from "./device-life.ts";
import { createHeapMemory } from "./device-memory.ts";
import type { OpenGpu } from "./device.ts";
import type { EngineInfo, EngineKind, LoadOptions, OnnxEngine, Session } from "./engine.ts";
import { createGpuMemory } from "./gpu-memory.ts";
import { openSession, type SessionHost } from "./ort-session.ts";
import type { Ort, OrtSessionOptions } from "./ort.ts";
import { createRunQueue } from "./run-queue.ts";

export interface OrtEngineOptions {
  /** Threads of the CPU side. In a browser all sessions of one runtime share them: the first engine's number holds. */
  readonly threads: number;
  /** WebGPU only, and needed there. The engine owns the device from now on. */
  readonly gpu?: OpenGpu;
  /**
   * WebGPU only: what onnxruntime does with freed buffers. "lazyRelease" (default) gives memory back after each run;
   * "simple" and "bucket" keep the peak and save allocations.
   */
  readonly bufferCache?: "lazyRelease" | "simple" | "bucket";
  /** Prints onnxruntime's own log to the console, the placement of nodes included. */
  readonly verbose?: boolean;
}

type OrtKind = Exclude<EngineKind, "kernels">;

/**
 * An engine of the given kind on a loaded runtime.
 * @throws PlaygroundError `webgpu-missing` when kind is "webgpu" and no device was given.
 */
export function createOrtEngine(ort: Ort, kind: OrtKind, options: OrtEngineOptions): OnnxEngine {
  const gpu = kind === "webgpu" ? requireGpu(options.gpu) : null;
  if (kind !== "cpu") ort.env.wasm.numThreads = options.threads;
  if (options.verbose === true) ort.env.logLevel = "verbose";
  const queue = createRunQueue();
  const life = watchDevice(gpu);
  const memory = gpu ? createGpuMemory(ort, gpu.device) : createHeapMemory(ort);
  const host: SessionHost = {
    ort,
    memory,
    sessionOptions: sessionOptionsFor(kind, options),
    webgpu: gpu !== null,
    enter: (task) => life.unlessLost(queue.enqueue(() => life.guard(task))),
    // a run on a lost device may never end, so nothing waits for it
    leave: (task) => (life.isLost() ? Promise.resolve() : queue.enqueue(task)),
  };
  const sessions = new Set<Session>();
  const open = async (on: SessionHost, onnx: Uint8Array, loadOptions: LoadOptions): Promise<Session> => {
    const session = await openSession(on, onnx, loadOptions, () => sessions.delete(session));
    sessions.add(session);
    return session;
  };
  const load = (onnx: Uint8Array, loadOptions: LoadOptions): Promise<Session> =>
    open(host, onnx, loadOptions);
  const compile: OnnxEngine["compile"] = (graph, { weights, ...loadOptions }) => {
    if (kind !== "wasm" || weights === undefined) return load(toOnnx(graph, weights), loadOptions);
    // inside the model each weight would be in the heap three times while the session opens
    const external: ExternalData = new Map();
    const onnx = toOnnx(graph, weights, external);
    const externalData = Array.from(external, ([path, data]) => ({ path, data }));
    return open({ ...host, sessionOptions: { ...host.sessionOptions, externalData } }, onnx, loadOptions);
  };
  return {
    info: infoOf(kind, options.threads, gpu),
    load,
    compile,
    upload(tensor) {
      life.check();
      return memory.upload(tensor);
    },
    download: (tensor) => host.enter(() => memory.download(tensor)),
    release(tensor) {
      const free = memory.release(tensor);
      void host.leave(free); // never in the middle of a run
    },
    liveBuffers: () => memory.live(),
    async dispose() {
      life.end();
      await host.leave(() => memory.dispose());
      await Promise.all([...sessions].map((session) => session.dispose()));
      gpu?.device.destroy();
    },
  };
}

function infoOf(kind: OrtKind, threads: number, gpu: OpenGpu | null): EngineInfo {
  return {
    kind,
    threads,
    adapter: gpu?.report.description ?? null,
    software: gpu?.report.software ?? false,
  };
}

function requireGpu(gpu: OpenGpu | undefined): OpenGpu {
  if (gpu) return gpu;
  throw new PlaygroundError({
    code: "webgpu-missing",
    where: "WebGPU engine",
    expected: "an open GPU device",
    got: "none",
    next: "Choose WASM.",
  });
}

/** Our graphs come optimised: on the CPU side onnxruntime's own passes only made sessions open at half the speed. */
const AS_WRITTEN = { graphOptimizationLevel: "disabled" } as const;

function sessionOptionsFor(kind: OrtKind, options: OrtEngineOptions): OrtSessionOptions {
  const logSeverityLevel = options.verbose === true ? 0 : 3;
  switch (kind) {
    case "cpu":
      return {
        ...AS_WRITTEN,
        logSeverityLevel,
        executionProviders: ["cpu"],
        enableCpuMemArena: false, // each session would keep its own: half the memory without, and no slower
        intraOpNumThreads: options.threads,
        interOpNumThreads: 1,
      };
    case "wasm":
      return { ...AS_WRITTEN, logSeverityLevel, executionProviders: ["wasm"] };
    case "webgpu": {
      const storageBufferCacheMode = options.bufferCache ?? "lazyRelease";
      const provider = { name: "webgpu", device: options.gpu?.device, storageBufferCacheMode };
      return { logSeverityLevel, executionProviders: [provider] };
    }
  }
}
