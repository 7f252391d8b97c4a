/**
 * The one door to onnxruntime: sessions, buffers and the run queue behind an interface that is the same for the
 * WASM and WebGPU execution providers and for onnxruntime-node. Knows ONNX bytes and tensors, not models.
 */
import type { DType, HostTensor } from "../graph/tensor.ts";

/** "cpu" is onnxruntime-node, for headless runs. */
export type EngineKind = "wasm" | "webgpu" | "cpu";

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
  /** A session from ONNX bytes. */
  load(onnx: Uint8Array, options: LoadOptions): Promise<Session>;
  upload(tensor: HostTensor): DeviceTensor;
  download(tensor: DeviceTensor): Promise<HostTensor>;
  release(tensor: DeviceTensor): void;
  /** Device tensors alive now, for leak tests and the memory line. */
  liveBuffers(): { readonly count: number; readonly bytes: number };
  /** Every session and buffer ends; the engine is unusable afterwards. */
  dispose(): Promise<void>;
}
