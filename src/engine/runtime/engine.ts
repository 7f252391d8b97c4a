/**
 * The one door to what computes: sessions and buffers behind an interface that is the same for onnxruntime's WASM and
 * WebGPU providers, for onnxruntime-node and for our own WASM kernels. Knows graphs and tensors, not models.
 */
import type { BlockTensor } from "../graph/block-tensor.ts";
import type { Graph } from "../graph/ir.ts";
import type { DType, HostTensor } from "../graph/tensor.ts";

/** "kernels" is our own WASM module, "wasm" and "webgpu" are onnxruntime-web's, "cpu" is onnxruntime-node, for headless runs. */
export type EngineKind = "kernels" | "wasm" | "webgpu" | "cpu";

export interface EngineInfo {
  readonly kind: EngineKind;
  /** Threads of the CPU side. */
  readonly threads: number;
  /** WebGPU only: the adapter as the browser describes it, e.g. "google swiftshader". */
  readonly adapter: string | null;
  /** WebGPU only: true for a software adapter, which calibration never picks by itself. */
  readonly software: boolean;
}

/** A tensor that stays where the engine keeps it: GPU memory on WebGPU, the heap elsewhere. Owned by its engine; ends with `release`. */
export interface DeviceTensor {
  readonly dtype: DType;
  readonly dims: readonly number[];
  readonly device: true;
}

export interface LoadOptions {
  /** Named in errors. */
  readonly name: string;
  /** Outputs that stay on the device (WebGPU: GPU buffers, one per run, to be released by the caller). */
  readonly deviceOutputs?: readonly string[];
}

export interface CompileOptions extends LoadOptions {
  /** Data of the graph's weights, which then are no feeds. */
  readonly weights?: ReadonlyMap<string, HostTensor>;
}

export interface Session {
  readonly name: string;
  /**
   * Runs the graph; runs of one engine never overlap. A feed may be host or device; `bind` names outputs that
   * are written into an existing device tensor of the right shape (in-place updates, KV cache).
   * @throws PlaygroundError `session-failed` with the session's name, and the engine stays usable.
   */
  run(
    feeds: Readonly<Record<string, HostTensor | DeviceTensor>>,
    bind?: Readonly<Record<string, DeviceTensor>>,
  ): Promise<Readonly<Record<string, HostTensor | DeviceTensor>>>;
  dispose(): Promise<void>;
}

export interface Engine {
  readonly info: EngineInfo;
  /** A session of a graph, which is optimised on the way. */
  compile(graph: Graph, options: CompileOptions): Promise<Session>;
  upload(tensor: HostTensor): DeviceTensor;
  download(tensor: DeviceTensor): Promise<HostTensor>;
  release(tensor: DeviceTensor): void;
  /**
   * A matrix in blocks in the engine's own memory, to be read there, so that the caller's can go. Absent where that memory cannot
   * be read as arrays.
   */
  readonly hold?: (tensor: BlockTensor) => BlockTensor;
  /** Device tensors alive now, for leak tests and the memory line. */
  liveBuffers(): { readonly count: number; readonly bytes: number };
  /** Every session and buffer ends; the engine is unusable afterwards. */
  dispose(): Promise<void>;
}

/** An engine on onnxruntime, which takes ONNX bytes too. */
export interface OnnxEngine extends Engine {
  load(onnx: Uint8Array, options: LoadOptions): Promise<Session>;
}

/** True where tensors stay with the engine from run to run and may be written in place. */
export function keepsTensors({ info: { kind } }: Engine): boolean {
  return kind === "webgpu" || kind === "kernels";
}
